"""A release that links the rows of each person, checked again from three files: source, release and certificate.

A release does not show which person a token stands for. Rows, cells and candidates are counted, and the bound is proven again.
"""

from __future__ import annotations

from contextlib import closing
from itertools import groupby
from typing import TYPE_CHECKING, Any

from kanon_sql.certificate.history_certificate import HISTORIES, HistoryCertificate
from kanon_sql.engines.duckdb.audit.measures import macro_errors, record
from kanon_sql.engines.duckdb.files.tables import columns, load
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.errors import AuditError, CertificateError, PolicyError, raise_alone
from kanon_sql.model.how_many import how_many
from kanon_sql.model.linked_histories import LinkedHistories
from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.requirements import KAnonymity
from kanon_sql.model.validation import as_identifier, same_name
from kanon_sql.verification.certificates import lines_named, read_certificate, require, require_between
from kanon_sql.verification.coded_source import coded_source
from kanon_sql.verification.history_bound import History, proven
from kanon_sql.verification.pseudonyms import Pseudonyms
from kanon_sql.verification.tables import compare, other_columns

if TYPE_CHECKING:
    from kanon_sql.certificate.file import Document
    from kanon_sql.engines.duckdb.files.places import Place

_CODE = """CASE WHEN {0} IS NOT NULL THEN system.main.dense_rank() OVER (ORDER BY system.main.create_sort_key(
    system.main.row({0}), 'ASC NULLS LAST') ASC NULLS LAST) END"""

_LENGTHS = """SELECT system.main.count(*) AS n FROM {} WHERE {} IS NOT NULL GROUP BY {} ORDER BY n DESC NULLS LAST"""

_OWN = """SELECT system.main.bool_and(n = 1) FROM (
    SELECT system.main.count(DISTINCT system.main.create_sort_key(system.main.row({column}), 'ASC NULLS LAST')) AS n
    FROM {table} WHERE {per} IS NOT NULL GROUP BY {per})"""

_BARE = "SELECT system.main.count(*) FROM released WHERE {} IS NULL AND coalesce({}) IS NOT NULL"

_BY_ROWS, _BY_PAIRS = "each row", "each row and each pair of rows"


def verify_histories(con: Any, source: Place, release: Place, certificate: str) -> dict[str, str]:
    """Check the certificate of linked histories, field by field.

    Parameters
    ----------
    con : connection
        An empty DuckDB connection with the audit macros; it is closed in the end.
    certificate : str
        Path of the certificate.

    Returns
    -------
    dict
        What was checked, for people.

    Raises
    ------
    AuditError
        When a claim does not hold; the message names the file and the line of the claim.
    """
    document = read_certificate(certificate, HISTORIES)
    with closing(con), lines_named(certificate, document):
        return _checked(con, source, release, document)


def _checked(con: Any, source: Place, release: Place, document: Document) -> dict[str, str]:
    """Check what the tables tell first, so that a changed line is named itself, and the checksum last."""
    claimed = HistoryCertificate(**document.claims)
    load(con, source, into="source")
    requested, unreleased = _requested(con, claimed)
    require("guarantee", claimed.guarantee, requested.describe(), "the policy says")
    require("k", claimed.k, requested.k, "the policy says")
    people, own = _histories(con, requested)
    rows = sum(len(each.rows) for each in people)
    require("rows", claimed.rows, rows, "the source has")
    require("people", claimed.people, len(people), "the source has")
    require("own_columns", claimed.own_columns, own, "these columns have one value in all rows of each person:")
    require("cells", claimed.cells, rows * len(requested.quasi_identifiers), "the source has")
    load(con, release, into="released")
    if (wrong := other_columns(columns(con, "released"), columns(con, "source"))) is not None:
        raise AuditError(wrong)
    _check_tokens(con, claimed, requested)
    _check_candidates(con, claimed, requested)
    _check_cells(con, claimed, requested, from_json=release.kind in ("json", "jsonl"))
    bound = _check_bound(claimed, people, requested)
    document.require_checksum()
    return {
        "guarantee": f"{claimed.guarantee} holds, counted in the release",
        "rows": f"{claimed.linked_rows:,} of {how_many(rows, 'row')} are linked, to {how_many(claimed.linked_people, 'token')}",
        "suppressed": f"{how_many(claimed.suppressed_cells, 'cell')} of {claimed.cells:,}",
        "lower bound": bound,
        "not checked": "which person a token stands for",
        **({"not released": ", ".join(unreleased)} if unreleased else {}),
    }


def _requested(con: Any, claimed: HistoryCertificate) -> tuple[LinkedHistories, list[str]]:
    """Return the guarantee in the spelling of the source, and the columns without a role, which must not be released."""
    requested, names = claimed.asked, columns(con, "source")
    roles = set(map(same_name, (requested.per, *requested.quasi_identifiers, *requested.keep)))
    unreleased = [name for name in names if same_name(name) not in roles]
    for name in unreleased:
        con.execute(f"ALTER TABLE source DROP {quoted(name)}")
    try:
        return requested.resolved([name for name in names if name not in unreleased]), unreleased
    except PolicyError as error:
        raise_alone(CertificateError("policy", f"it does not match the source: {error}"))


def _histories(con: Any, requested: LinkedHistories) -> tuple[list[History], tuple[str, ...]]:
    """Return the histories of the people of the source, and the names of their own columns."""
    per, names = quoted(requested.per), requested.quasi_identifiers
    missing = con.execute(f"SELECT system.main.count(*) FROM source WHERE {per} IS NULL").fetchall()[0][0]  # noqa: S608
    if missing:
        raise AuditError(
            f"{how_many(missing, 'source row has', 'source rows have')} no person in {as_identifier(requested.per)}"
        )
    own = [name for name in names if _is_own(con, "source", requested.per, name)]
    facts = [name for name in names if name not in own]
    codes = ", ".join(_CODE.format(quoted(name)) for name in (requested.per, *own, *facts))
    found = sorted(con.execute(f"SELECT {codes} FROM source").fetchall(), key=lambda row: row[0])  # noqa: S608
    people = []
    for _, group in groupby(found, lambda row: row[0]):
        rows = list(group)
        people.append(History(own=rows[0][1 : len(own) + 1], rows=[row[len(own) + 1 :] for row in rows]))
    return people, tuple(name for name in names if name in own)


def _is_own(con: Any, table: str, per: str, name: str) -> bool:
    found = con.execute(_OWN.format(table=table, per=quoted(per), column=quoted(name))).fetchall()[0][0]
    return found is not False


def _check_tokens(con: Any, claimed: HistoryCertificate, requested: LinkedHistories) -> None:
    """Check that tokens are no more than people, with no more rows each, one value in own columns, and no cell without them."""
    per = quoted(requested.per)
    linked, whole = (
        [n for (n,) in con.execute(_LENGTHS.format(table, per, per)).fetchall()] for table in ("released", "source")
    )
    require("linked_people", claimed.linked_people, len(linked), "the release has tokens of")
    require("linked_rows", claimed.linked_rows, sum(linked), "the release has")
    if len(linked) > len(whole) or any(mine > theirs for mine, theirs in zip(linked, whole, strict=False)):
        raise AuditError("some tokens in the release have more rows than the people in the source have")
    for name in claimed.own_columns:
        if not _is_own(con, "released", requested.per, name):
            raise AuditError(
                f"the rows of a token show different values of {as_identifier(name)}, which has one value per person"
            )
    names = ", ".join(f"CAST({quoted(name)} AS VARCHAR)" for name in requested.quasi_identifiers)
    if con.execute(_BARE.format(per, names)).fetchall()[0][0]:
        raise AuditError("rows without a token show quasi-identifiers")


def _check_candidates(con: Any, claimed: HistoryCertificate, requested: LinkedHistories) -> None:
    """Check how many people have the known rows of each."""
    values = {"person": requested.per, "qi": list(requested.quasi_identifiers), "m": requested.known_rows}
    with macro_errors():
        risk = record(con, f"FROM history_risk('released', $person, $qi, $m, k := {requested.k:d})", values)
    fewest = risk["fewest_candidates"] if claimed.linked_people else None
    if wrong := requested.broken(fewest):
        raise CertificateError("guarantee", wrong)
    require("fewest_candidates", claimed.fewest_candidates, fewest, "the release has")
    if claimed.people_below_next is not None and claimed.linked_people:
        require("people_below_next", claimed.people_below_next, risk["people_below_next"], "the release has")


def _check_cells(con: Any, claimed: HistoryCertificate, requested: LinkedHistories, *, from_json: bool) -> None:
    """Check that each row comes from a row of the source, and how many cells it hides; it does not show whose it is."""
    for table in ("source", "released"):
        con.execute(f"ALTER TABLE {table} DROP {quoted(requested.per)}")
    policy = Policy(
        quasi_identifiers=tuple(QuasiIdentifier(column=name) for name in requested.quasi_identifiers),
        requirements=(KAnonymity(k=requested.k),),
        keep=tuple(requested.keep),
    )
    loss = compare(con, coded_source(con, policy), Pseudonyms(), from_json=from_json)
    require_between("suppressed_cells", claimed.suppressed_cells, loss.cells, "the release suppresses")


def _check_bound(claimed: HistoryCertificate, people: list[History], requested: LinkedHistories) -> str:
    """Prove the lower bound again, and say what was proven."""
    bound = claimed.lower_bound
    if bound > claimed.suppressed_cells:
        raise CertificateError("lower_bound", "exceeds the number of suppressed cells")
    if claimed.bound_method not in (_BY_ROWS, _BY_PAIRS):
        return f"{how_many(bound, 'cell')}; {claimed.bound_method}, which is not checked again"
    found = proven(people, requested.k, pairs=claimed.bound_method == _BY_PAIRS and requested.known_rows > 1)
    if found < bound:
        raise CertificateError("lower_bound", f"{bound}, but only {found} can be proven from {claimed.bound_method}")
    return f"{how_many(bound, 'cell')}, proven again from {claimed.bound_method}"
