"""A release is checked again from three files: the source, the release and the certificate. Nothing is solved for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_sql.certificate import Certificate, verify
from kanon_sql.certificate_file import Document, read
from kanon_sql.comparison import Loss, compare
from kanon_sql.engines.measures import demand, demand_share, measure, record
from kanon_sql.errors import AuditError, CertificateError, PolicyError, SourceError
from kanon_sql.files import columns, load
from kanon_sql.policy import Policy
from kanon_sql.requirements import AlphaAnonymity, KAnonymity
from kanon_sql.terminal import saving

if TYPE_CHECKING:
    from kanon_sql.files import Place


def read_certificate(path: str) -> Document:
    """Read a certificate file.

    Raises
    ------
    AuditError
        When it is no certificate; the message begins with the name of the file and the line.
    """
    try:
        return read(Path(path).read_bytes().decode())
    except FileNotFoundError:
        raise AuditError(f"there is no file {path}") from None
    except OSError as error:
        raise AuditError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise AuditError(f"{path} is not UTF-8 text") from None
    except CertificateError as error:
        raise AuditError(f"{path}, {error}") from None


def verify_files(
    con: Any, source: Place, release: Place, certificate: str, delimiter: str, beside: Mapping[str, Place]
) -> dict[str, str]:
    """Check a certificate and a release against the source, field by field.

    Parameters
    ----------
    con : connection
        An empty DuckDB connection with the audit macros; it is closed in the end.
    source, release : Place
        The tables.
    certificate : str
        Path of the certificate.
    delimiter : str
        The separator of CSV files.
    beside : mapping of Place
        The hierarchies and tables of distances that the policy names.

    Returns
    -------
    dict
        What was checked, for people.

    Raises
    ------
    AuditError
        When a claim does not hold; the message names the file and the line of the claim.
    """
    document = read_certificate(certificate)
    with closing(con):
        try:
            for name, place in beside.items():
                load(con, place, into=name, delimiter=delimiter)
            return _checked(con, source, release, document, delimiter)
        except CertificateError as error:
            at = CertificateError(error.field, error.fact, document.lines.get(error.field or ""))
            raise AuditError(f"{certificate}, {at}") from None


def _checked(con: Any, source: Place, release: Place, document: Document, delimiter: str) -> dict[str, str]:
    """Check what the tables tell first, so that a changed line is named itself, and the checksum last."""
    claimed = document.certificate
    load(con, source, into="source", delimiter=delimiter)
    policy = _policy(claimed, columns(con, "source"))
    codes, counts = _row_types(con, policy)
    _require("rows", claimed.rows, sum(counts), "the source has")
    _require("row_types", claimed.row_types, len(counts), "the source has")
    load(con, release, into="released", delimiter=delimiter)
    sizes = record(con, "FROM k_anonymity('released', $qi)", {"qi": [qi.column for qi in policy.quasi_identifiers]})
    loss = compare(con, policy, from_json=release.kind in ("json", "jsonl"))  # before values are weighed: it gives them types
    _check_promises(con, policy)
    _require("classes", claimed.classes, sizes["classes"], "the release has")
    _require("smallest_class", claimed.smallest_class, sizes["k"], "the release has")
    _require_between("suppressed_cells", claimed.suppressed_cells, loss.cells, "the release hides")
    _require_between("cost", claimed.cost, loss.cost, "what the release hides costs")
    proven = verify(claimed, codes, counts)
    document.require_checksum()
    return _report(claimed, loss, proven)


def _check_promises(con: Any, policy: Policy) -> None:
    """Check in the table ``released`` what the policy promises of sensitive attributes."""
    columns = [qi.column for qi in policy.quasi_identifiers]
    for requirement in policy.requirements:
        try:
            if isinstance(requirement, AlphaAnonymity):
                demand_share(con, requirement, columns, "released")
            elif not isinstance(requirement, KAnonymity):
                demand(requirement, measure(con, requirement, columns, "released"))
        except (AuditError, SourceError) as error:
            raise CertificateError("requirements", str(error)) from None


def _policy(claimed: Certificate, names: list[str]) -> Policy:
    try:
        policy = Policy.from_json(claimed.policy).resolve(names)
    except PolicyError as error:
        raise CertificateError("policy", str(error)) from None
    if policy.generalized:
        columns = ", ".join(f'"{name}"' for name in policy.generalized)
        raise CertificateError(
            "policy", f"it generalizes {columns}: only releases by suppression can be verified from files yet"
        )
    return policy


def _row_types(con: Any, policy: Policy) -> tuple[list[tuple[int, ...]], list[int]]:
    """Return the codes and counts of the row types of the source, in the order in which they were solved."""
    import numpy as np
    import pyarrow as pa

    from kanon_sql.coded import encode
    from kanon_sql.engines.release import quoted

    columns = [*(qi.column for qi in policy.quasi_identifiers), *policy.sensitive]
    chosen = ", ".join(map(quoted, columns))
    histogram = con.sql(f'SELECT {chosen}, count(*) AS "kanon#n" FROM source GROUP BY ALL').to_arrow_table()  # noqa: S608
    if not histogram.num_rows:
        return [], []
    arrays = [column.combine_chunks() for column in histogram.columns]
    row_types = pa.StructArray.from_arrays(arrays[:-1], histogram.column_names[:-1])
    table, _ = encode(row_types, np.from_dlpack(arrays[-1]).astype(np.int64), policy)
    return [tuple(codes) for codes in table.codes.tolist()], table.weight.tolist()


def _require(field: str, claimed: object, found: object, whose: str) -> None:
    if claimed != found:
        raise CertificateError(field, f"{claimed}, but {whose} {found}")


def _require_between(field: str, claimed: Fraction | int, found: tuple[Fraction | int, Fraction | int], whose: str) -> None:
    if not found[0] <= claimed <= found[1]:
        raise CertificateError(field, f"{claimed}, but {whose} {_between(found, str)}")


def _between(found: tuple[Any, Any], write: Callable[[Any], str]) -> str:
    return write(found[0]) if found[0] == found[1] else f"between {write(found[0])} and {write(found[1])}"


def _report(c: Certificate, loss: Loss, proven: Fraction) -> dict[str, str]:
    def number(value: Fraction | int) -> str:
        return f"{float(value):,.12g}"

    def counted(claim: Fraction | int, found: tuple[Any, Any]) -> str:
        exact = found[0] == found[1]
        return number(claim) if exact else f"{number(claim)}; counted {_between(found, number)}, as the source has empty cells"

    if c.prices is None:
        again = "not checked again: it has no prices"
    elif proven < c.lower_bound:
        again = f"not checked again: a search; the prices prove {number(proven)}"
    else:
        again = f"proven again by its prices: {number(proven)}"
    meaning = saving(c) if proven >= c.lower_bound else f"{saving(c)}, if the lower bound holds"
    return {
        "guarantee": f"{', '.join(c.requirements)}: the smallest of {c.classes:,} classes has {c.smallest_class or 0:,} rows",
        "source": f"{c.rows:,} rows of {c.row_types:,} kinds",
        "release": "as many rows, each like one of the source under a permitted mask; all other columns are the same",
        "suppressed cells": f"{counted(c.suppressed_cells, loss.cells)} of {c.cells:,}",
        "cost": counted(c.cost, loss.cost),
        "lower bound": f"{number(c.lower_bound)} by {c.bound_method}, {again}",
        "status": f"{c.status.value}: {meaning}",
        "only by the checksum": "algorithm, reason, seconds, number",
    }
