"""A release is checked again from three files: the source, the release and the certificate.

Nothing is solved for it. The caller may put bins and regions together again; what it says of them is checked, not believed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from kanon_sql.certificate import Certificate
from kanon_sql.certificate.file import Document
from kanon_sql.certificate.history_certificate import HISTORIES
from kanon_sql.certificate.table_file import PROTECTED
from kanon_sql.engines.duckdb.audit.kept_guarantees import broken as broken_by
from kanon_sql.engines.duckdb.audit.measures import looks_suppressed, record
from kanon_sql.engines.duckdb.files.tables import columns, load, load_named
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.duckdb.policies.allowed_files import AllowedFiles, check_tables
from kanon_sql.errors import CertificateError, PolicyError, SourceError, raise_alone
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import PopulationRequirement
from kanon_sql.model.validation import same_name
from kanon_sql.verification.cells.protected_files import verify_tables
from kanon_sql.verification.certificates import (
    UNPROVEN,
    between,
    is_of,
    lines_named,
    read_certificate,
    require,
    require_between,
)
from kanon_sql.verification.claims import verify
from kanon_sql.verification.class_people import people_text
from kanon_sql.verification.classes_bound import proven_by_classes
from kanon_sql.verification.coded_source import CodedSource, Regroup, coded_source
from kanon_sql.verification.histories import check_histories, counted_histories, history_texts, people_by_tokens
from kanon_sql.verification.known_columns import check_known
from kanon_sql.verification.linked_histories import verify_histories
from kanon_sql.verification.pseudonyms import Pseudonyms
from kanon_sql.verification.squares_bound import proven_by_squares
from kanon_sql.verification.tables import Loss, compare, require_columns

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.files.places import Place


_NO_BOUND = "none"
"""How the argument for a lower bound begins where there is none."""


def verify_files(
    con: Any,
    source: Place,
    release: Place,
    certificate: str,
    named_tables: Mapping[str, Place],
    tokens: tuple[Sequence[str], bytes | None] = ((), None),
    allowed_files: Iterable[str] = (),
    regroup: Regroup | None = None,
) -> dict[str, str]:
    """Check a certificate and a release against the source, field by field.

    Parameters
    ----------
    con : connection
        An empty DuckDB connection with the audit macros; it is closed in the end.
    certificate : str
        Path of the certificate.
    named_tables : mapping of Place
        The tables that the policy names: distances, hierarchies and maps.
    tokens : tuple
        The columns that show pseudonyms, and the secret of the release, where it is at hand: see `Pseudonyms.of`.
    allowed_files : iterable of str
        Files that the policy may name in the place of a table.
    regroup : Regroup, optional
        Says which values are in each bin and region; without it they are not checked, and the report says so.

    Returns
    -------
    dict
        What was checked, for people.

    Raises
    ------
    AuditError
        When a claim does not hold; the message names the file and the line of the claim.
    """
    if is_of(certificate, PROTECTED):
        return verify_tables(con, source, [(release, certificate)], named_tables)
    if is_of(certificate, HISTORIES):
        return verify_histories(con, source, release, certificate)
    document = read_certificate(certificate)
    allowed = AllowedFiles()
    allowed.allow(allowed_files)
    with closing(con), lines_named(certificate, document):
        return _checked(con, source, release, document, (named_tables, allowed), tokens, regroup)


def _checked(
    con: Any,
    source: Place,
    release: Place,
    document: Document,
    given: tuple[Mapping[str, Place], AllowedFiles],
    tokens: tuple[Sequence[str], bytes | None],
    regroup: Regroup | None,
) -> dict[str, str]:
    """Check what the tables tell first, so that a changed line is named itself, and the checksum last."""
    claimed = Certificate(**document.claims)
    load(con, source, into="source")
    policy, unreleased = _policy(claimed, columns(con, "source"), *given)
    for name in unreleased:
        con.execute(f"ALTER TABLE source DROP {quoted(name)}")
    load_named(con, policy, given[0])
    require("rows", claimed.rows, record(con, "SELECT system.main.count(*) AS n FROM source", {})["n"], "the source has")
    coded = coded_source(con, policy, regroup)
    certificate, codes, counts = coded.proof(claimed)
    require("row_types", claimed.row_types, len(counts), "the source has")
    require("cells", claimed.cells, claimed.rows * len(policy.quasi_identifiers), "the source has")
    load(con, release, into="released")
    from_json = release.kind in ("json", "jsonl")
    require_columns(con, policy, from_json=from_json)
    sizes = record(con, "FROM k_anonymity('released', $qi)", {"qi": [qi.column for qi in policy.quasi_identifiers]})
    pseudonyms = Pseudonyms.of(con, tokens[0], policy, tokens[1])
    histories, people = counted_histories(con, policy), people_by_tokens(con, policy)  # before tokens are compared
    loss = compare(con, coded, pseudonyms, from_json=from_json)  # before values are weighed: it gives them types
    loss = loss if people is None else replace(loss, people=people)
    _check_guarantees(con, policy)
    check_known(con, claimed, policy)
    _check_people(claimed, policy, loss)
    if claimed.rows:
        roles = {same_name(qi.column) for qi in policy.quasi_identifiers} | set(map(same_name, policy.sensitive))
        unchanged = tuple(name for name in columns(con, "released") if same_name(name) not in roles)
        require("unchanged", claimed.unchanged, unchanged, "the release leaves these columns unchanged:")
        check_histories(claimed.histories, histories, policy)
    require("classes", claimed.classes, sizes["classes"], "the release has")
    require("smallest_class", claimed.smallest_class, sizes["k"], "the release has")
    require_between("suppressed_cells", claimed.suppressed_cells, loss.cells, "the release suppresses")
    require_between("cost", claimed.cost, loss.cost, "the suppressed cells cost")
    if claimed.bound_method.startswith(_NO_BOUND):
        require("lower_bound", claimed.lower_bound, 0, "without an argument, it can only be")
    _check_groupings(claimed, coded)
    proven = verify(certificate, codes, counts, coded.sensitive)
    if claimed.prices is not None and policy.aggregated:
        proven = proven_by_squares(coded, claimed)
    elif claimed.prices is not None and policy.summarized:
        proven = proven_by_classes(coded, claimed)
    document.require_checksum()
    reported = _report(claimed, coded, loss, proven, _uncounted(con, policy))
    reported |= pseudonyms.described() | history_texts(claimed.histories)
    return reported | ({"not released": ", ".join(unreleased)} if unreleased else {})


def _check_groupings(claimed: Certificate, coded: CodedSource) -> None:
    """Compare what is claimed of groups with what their algorithm says of them when it runs again; this proves no optimum."""
    for grouping in () if coded.table is None else coded.table.groupings:
        if f"; {grouping}; " not in claimed.bound_method:
            raise CertificateError("bound_method", f"the recomputed groups are missing: {grouping}")


def _check_guarantees(con: Any, policy: Policy) -> None:
    """Check in the table ``released`` what the policy asks of sensitive attributes."""
    columns = [qi.column for qi in policy.quasi_identifiers]
    uncounted = _uncounted(con, policy)
    for requirement in policy.requirements:
        if uncounted and isinstance(requirement, PopulationRequirement):
            continue
        try:
            broken = broken_by(con, requirement, columns, "released", policy.suppress)
        except SourceError as error:
            raise_alone(CertificateError("requirements", str(error)))
        if broken is not None:
            raise CertificateError("requirements", broken)


def _uncounted(con: Any, policy: Policy) -> str | None:
    """Return what of a release nobody can count in a population: texts do not tell it."""
    if policy.populations and policy.generalized:
        return "the matches of generalized cells in the population"
    if policy.populations and looks_suppressed(con, policy.suppress, [qi.column for qi in policy.quasi_identifiers]):
        return "which cells are suppressed (the source contains their text), and so their matches in the population"
    return None


def _check_people(c: Certificate, policy: Policy, loss: Loss) -> None:
    """Refuse a release with a class that cannot have rows of as many people as the policy or the certificate says."""
    required = policy.people_of_classes
    if required is not None and loss.people is not None and loss.people[1] < required.k:
        fact = (
            f"{required.describe()} does not hold: a class has rows from at most "
            f"{how_many(loss.people[1], 'person', 'people')} in the source"
        )
        raise CertificateError("requirements", fact)
    if c.smallest_class_people is not None and loss.people is not None:
        require_between("smallest_class_people", c.smallest_class_people, loss.people, "the class with the fewest people has")


def _policy(
    claimed: Certificate, names: list[str], named_tables: Mapping[str, Place], allowed_files: AllowedFiles
) -> tuple[Policy, list[str]]:
    """Return the policy, and the columns of the source that must not be released: with no role, and not claimed unchanged."""
    try:
        policy = Policy.from_json(claimed.policy)
        required = tuple(each.describe() for each in policy.requirements)
        if claimed.requirements != required:  # what is proven about levels has requirements of its own
            raise CertificateError("requirements", f"the policy guarantees {', '.join(required)}")
        roles = {same_name(column) for _, column in policy.named_columns} | set(map(same_name, policy.keep or ()))
        every = claimed.rows == 0 and policy.keep is None  # of no rows, no certificate says which columns are unchanged
        roles |= set(map(same_name, names if every else claimed.unchanged))
        unreleased = [name for name in names if same_name(name) not in roles]
        policy = policy.resolve([name for name in names if name not in unreleased])
        check_tables(policy, named_tables, "--beside {}=FILE")
        allowed_files.tables_of(policy, "it")
    except PolicyError as error:
        raise_alone(CertificateError("policy", str(error)))
    return policy, unreleased


def _report(c: Certificate, coded: CodedSource, loss: Loss, proven: Fraction, unmatched: str | None) -> dict[str, str]:
    generalized = bool(coded.policy.generalized)

    def number(value: Fraction | int) -> str:
        return f"{float(value):,.12g}"

    def counted(claim: Fraction | int, found: tuple[Any, Any]) -> str:
        why = "some cells can be read in several ways" if generalized else "the source has empty cells"
        return number(claim) if found[0] == found[1] else f"{number(claim)}; counted {between(found, number)}, because {why}"

    if c.bound_method.startswith(_NO_BOUND):
        again = "nothing to prove"
    elif c.prices is None:
        again = f"{UNPROVEN}: the certificate has no prices"
    elif proven < c.lower_bound:
        again = f"{UNPROVEN}: found by a search; the prices prove {number(proven)}"
    else:
        again = f"proven again by its prices: {number(proven)}"
    meaning = c.saving if proven >= c.lower_bound else f"{c.saving}, if the lower bound holds"
    shown = "with permitted labels of its values" if generalized else "under a permitted mask"
    unread = f", the values in each bin or region of {', '.join(coded.unread)}" if coded.unread else ""
    extra = ", information_loss" if c.information_loss else ""
    extra += ", histories over several releases" if any(each.releases for each in c.histories) else ""
    required = coded.policy.people
    uncounted = f", {unmatched}" if unmatched else ""
    by_all = coded.policy.people_of_classes is not None
    sure = required is None or (by_all and loss.people is not None and loss.people[0] >= required.k)
    people = "" if sure else ", the people of each class"
    smallest = f"the smallest of {how_many(c.classes or 0, 'class', 'classes')} has {how_many(c.smallest_class or 0, 'row')}"
    if c.sets_audited is not None:
        sets = how_many(c.sets_audited, "set")
        least = how_many(c.smallest_class_known or 0, "row")
        smallest = f"by {sets} of known columns, the smallest class has {least}; by all columns, {smallest}"
    return {
        "guarantee": f"{', '.join(c.requirements)}: {smallest}",
        **({} if loss.people is None else {"people": _people(c, coded.policy, loss.people)}),
        "source": f"{how_many(c.rows, 'row')}, {how_many(c.row_types, 'distinct combination')}",
        "release": f"as many rows as the source, each matching a source row {shown}; all other columns are equal",
        "suppressed cells": f"{counted(c.suppressed_cells, loss.cells)} of {c.cells:,}",
        "cost": counted(c.cost, loss.cost),
        "lower bound": f"{number(c.lower_bound)} by {c.bound_method}, {again}",
        "status": f"{c.status.value}: {meaning}",
        "only by the checksum": f"algorithm, reason, seconds, number, repeatable, warnings{extra}{unread}{uncounted}{people}",
    }


def _people(c: Certificate, policy: Policy, counted: tuple[int, int]) -> str:
    """Return of how many people the class with the fewest has rows, as counted, and what only the certificate says of it."""
    reported = people_text(counted, by_tokens=not policy.dropped)
    reported = reported if policy.people_of_classes is not None else f"by all columns, {reported}"
    if c.smallest_class_people is None:
        return f"{reported}; not stated in the certificate"
    return reported if counted[0] == counted[1] else f"{reported}; the certificate states {c.smallest_class_people:,}"
