"""The report for those who answer for a release: one HTML page that needs no network, no script and no raw row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Unpack

import duckdb

from kanon_sql.certificate import Certificate, Release
from kanon_sql.certificate.table_certificate import ProtectedTable
from kanon_sql.engines.audit_figures import measured_requirements
from kanon_sql.engines.duckdb.files.tables import load, load_policy_table
from kanon_sql.engines.duckdb.guarantees import audit_macros
from kanon_sql.engines.duckdb.names import name_parts
from kanon_sql.engines.duckdb.python_tables.tables import register_table, register_tables
from kanon_sql.errors import MissingPackageError, PolicyError, raise_alone
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_options import AUDIT_DEFAULTS, AuditOptions, completed, spelled_out, thresholds
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.requirements import KAnonymity
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.validation import as_identifier, by_name, same_name
from kanon_sql.report.left_out import WHOLE, stated_unit, without_left_out
from kanon_sql.report.written_page import Page, versions

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.files.places import Place


@spelled_out(AUDIT_DEFAULTS)
def report(
    source: Any,
    released: Any,
    *,
    tables: Mapping[str, Any] | None = None,
    keep: Iterable[str] | None = None,
    certificate: Certificate | None = None,
    per: str | None = None,
    per_row: bool = False,
    title: str | None = None,
    purpose: str | None = None,
    recipient: str | None = None,
    **options: Unpack[AuditOptions],
) -> str:
    """Return an HTML page about a release: whether it keeps its guarantee, what risk is left, and what it has lost.

    Parameters
    ----------
    source : pyarrow.Table, pandas.DataFrame, polars.DataFrame or DuckDBPyRelation
        The table that was released.
    released : Release, ProtectedTable, or a table as ``source``
        The release, by whomever it was made. A `Release` brings its certificate. The page about a `ProtectedTable` may be
        published with it, and takes no options.
    tables : mapping, optional
        By their names, the hierarchy or the table of distances, as in `kanon_sql.anonymize`.
    keep : iterable of str, optional
        Columns that were released unchanged on purpose, as in `kanon_sql.anonymize`; every column then needs a role. A
        certificate says this itself.
    certificate : Certificate, optional
        The claims about the release. All of them are checked, and what is requested here.
    per : str, optional
        The column of the source that tells people apart: the page counts people. A certificate says this itself.
    per_row : bool
        Whether each row is a person, even if a column seems to repeat people.
    title, purpose, recipient : str, optional
        What the page is headed by: what is released, what for, and to whom. What is left out can be filled in on paper.
    **options
        What the release shall keep, as in :class:`~kanon_sql.model.policy_options.AuditOptions`: ``k``,
        ``quasi_identifiers``, ``sensitive``, ``l``, ``variant``, ``c``, ``t``, ``metric``, ``hierarchy``, ``beta``, ``delta``.
        Without a ``k`` and without a certificate it is 2; a value is only named in the page if so many rows of the release
        show it. Without quasi-identifiers those of the certificate are taken, else all columns that are not sensitive.

    Returns
    -------
    str
        The page, the same for the same tables in any order of their rows. It counts the source: it is for those who may see
        that, and not to be published.

    Raises
    ------
    AuditError
        When the release has other columns or rows than the source. A broken guarantee is no error: the page says so.
    PolicyError
        When the quasi-identifiers are not those of the certificate, or ``keep`` comes with one.
    TypeError
        When there is no such option.
    KanonError
        When jinja2, altair or vl-convert-python is not installed.

    Notes
    -----
    A few GROUP BYs over both tables, and one more for each quasi-identifier; one plot for each column.
    """
    completed("report", options, AUDIT_DEFAULTS)
    heading = {"title": title, "purpose": purpose, "recipient": recipient}
    if isinstance(released, ProtectedTable):
        from kanon_sql.report.table_report import report_protected

        if options or per_row or any(each is not None for each in (tables, keep, certificate, per)):
            raise PolicyError(
                "a report on a table of counts accepts only title, purpose and recipient; hint: omit the other options"
            )
        return report_protected(source, released, heading).text
    if isinstance(released, Release):
        certificate = released.certificate if certificate is None else certificate
        released = released.table
    if not isinstance(certificate, Certificate | None):
        raise PolicyError(
            f"certificate cannot be {type(certificate).__name__}; hint: pass release.certificate, or "
            "Certificate.from_json(text)"
        )
    with duckdb.connect() as con:
        register_table(con, WHOLE, source)
        register_table(con, "released", released)
        unit = stated_unit(certificate, per, per_row)
        policy = measured_policy(without_left_out(con, unit), certificate, keep, **unit, **options)
        if {"source", "released"} & set(map(same_name, by_name(tables, "tables", "{'tree': table}"))):
            raise PolicyError("an additional table cannot be called 'source' or 'released'; hint: rename it")
        register_tables(con, policy, tables)
        return _page(con, policy, certificate, {}, heading, None).text


def report_files(
    con: Any,
    source: Place,
    release: Place,
    *,
    named_tables: Mapping[str, Place],
    population: Place | None,
    certificate: Certificate | None,
    names: Any,
    keep: Any,
    heading: Mapping[str, str | None],
    **about: Any,
) -> Page:
    """Return the page about a release in a file.

    Parameters
    ----------
    con : connection
        An empty DuckDB connection; it is closed in the end.
    named_tables : mapping of Place
        The hierarchies and tables of distances that the guarantee names.
    population : Place, optional
        The table of the population that the guarantee names.
    certificate : Certificate, optional
        What is claimed of the release.
    names : callable
        Chooses the quasi-identifiers from the columns of the source; may return None.
    keep : callable
        Chooses the columns that were released unchanged on purpose; may return None.
    heading : mapping
        ``title``, ``purpose`` and ``recipient``, as in `report`.
    **about
        As in `report`.
    """
    from kanon_sql.report.fingerprints import file_hash

    with closing(con):
        for name, place in {WHOLE: source, "released": release}.items():
            load(con, place, into=name)
        for name, place in named_tables.items():
            load_policy_table(con, place, into=name)
        unit = stated_unit(certificate, about.pop("per", None), about.pop("per_row", False))
        known = without_left_out(con, unit)
        policy = measured_policy(
            known, certificate, keep(known), surface="command", quasi_identifiers=names(known), **unit, **about
        )
        if population is not None and not policy.populations:
            raise PolicyError("no guarantee uses the population; hint: pass the certificate of a release with k-map")
        if len(policy.populations) > 1:  # each would be counted in the same file
            raise PolicyError(
                "the guarantee uses several populations, but a report supports only one; hint: use kanon verify --beside"
            )
        for name in policy.populations:
            if population is None:
                raise PolicyError(f"the guarantee needs the population {name}; hint: pass --population")
            load(con, population, into=name_parts(name)[-1])
        named, given = set(map(same_name, policy.tables)), {same_name(as_identifier(name)) for name in named_tables}
        for name in sorted(named ^ given):
            fact = (
                "the guarantee uses the table {}, which is missing"
                if name in named
                else "the guarantee does not use the table {}"
            )
            raise PolicyError(
                f"{fact.format(name)}; hint: pass exactly the tables that the guarantee uses, with --hierarchy and --metric"
            )
        hashes = {
            f"{what} file {place.path.name}": file_hash(place.path)
            for what, place in (("source", source), ("release", release))
            if place.table is None and place.pattern is None
        }
        return _page(con, policy, certificate, hashes, heading, str(release.table or release.path.name))


def measured_policy(
    known: list[str],
    certificate: Certificate | None,
    keep: Iterable[str] | None = None,
    *,
    surface: Surface = "python",
    per: str | None = None,
    per_row: bool = False,
    **options: Unpack[AuditOptions],
) -> Policy:
    """Return what a release guarantees and what is measured besides, resolved against the columns of the source.

    Parameters
    ----------
    known : list of str
        The columns of the source.
    certificate : Certificate, optional
        Its guarantees come first.
    keep, per, per_row, **options
        As in `report`.
    """
    k, quasi_identifiers = options.get("k"), options.get("quasi_identifiers")
    own = measured_requirements(options.get("sensitive"), **thresholds(options))
    if certificate is None:
        least = 2 if k is None else k
        # Nothing says what stands for a suppressed cell: NULL, or the text that most programs write.
        parts: dict[str, Any] = {"quasi_identifiers": quasi_identifiers, "requirements": own, "keep": keep}
        return Policy.of(k=least, per=per, per_row=per_row, suppress="*", **parts).resolve(known, surface)
    if keep is not None:
        raise PolicyError("the certificate already lists the kept columns; hint: omit keep")
    claimed = Policy.from_json(certificate.policy).resolve(known)
    chosen = [qi.column for qi in claimed.quasi_identifiers]
    if quasi_identifiers is not None and set(map(same_name, quasi_identifiers)) != set(map(same_name, chosen)):
        raise PolicyError("the quasi-identifiers differ from those in the certificate; hint: omit them")
    requirements = [*claimed.requirements, *([] if k is None else [KAnonymity(k=k)])]
    for name in claimed.sensitive:
        # Both are reported of every sensitive column, even if only one is guaranteed.
        kinds = {type(each) for each in claimed.sensitive_requirements if each.sensitive == name}
        requirements += [each for each in measured_requirements(name) if type(each) not in kinds]
    found = Policy(
        quasi_identifiers=tuple(QuasiIdentifier(column=name) for name in chosen),
        requirements=tuple(dict.fromkeys([*requirements, *own])),
        suppress=claimed.suppress,
    ).resolve(known)
    # A kept column may be measured as a sensitive one here; people may be counted by one that shows tokens.
    measured = set(found.measured) - set(claimed.pseudonyms)
    kept = None if claimed.keep is None else tuple(name for name in claimed.keep if name not in measured)
    return replace(found, keep=kept, pseudonyms=claimed.pseudonyms, linkable=claimed.linkable)


def _page(
    con: Any,
    policy: Policy,
    certificate: Certificate | None,
    hashes: Mapping[str, str],
    heading: Mapping[str, str | None],
    released: str | None,
) -> Page:
    from kanon_sql.report.claims import counted_claims, other_fields
    from kanon_sql.report.measured import measured

    try:
        from kanon_sql.report.figures import figures
        from kanon_sql.report.page import About, report_page
    except ModuleNotFoundError as error:
        raise_alone(MissingPackageError.of("a report", error.name, "report"))
    # The macros alone: no solver of this package is involved in a report.
    audit_macros(con).execute(files("kanon_sql.sql").joinpath("utility.sql").read_text(encoding="utf-8"))
    facts = measured(con, policy, certificate, WHOLE)
    rows = zip(("sorted rows of the source", "sorted rows of the release"), facts.hashes, strict=True)
    claims = [] if certificate is None else counted_claims(certificate, facts)
    text = report_page(
        facts,
        claims=claims,
        certificate=[] if certificate is None else other_fields(certificate),
        origins=[*hashes.items(), *rows, ("made by", versions())],
        about=About(**heading),
        released=released,
    )
    return Page(text=text, figures=figures(facts, claims))
