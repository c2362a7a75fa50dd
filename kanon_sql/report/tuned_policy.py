"""From a table and queries to a tuned policy: roles of columns, levels to try, and the statement with its figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from kanon_sql.clause.queries import read_queries
from kanon_sql.clause.workload import Use, uses_of
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.engines.duckdb.files.tables import columns
from kanon_sql.engines.duckdb.policies.suggestion import suggestion
from kanon_sql.engines.written import read_recodings
from kanon_sql.model.dropped_columns import dropped_columns, read_drop, remaining
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.recodings import Generalization
from kanon_sql.model.requirements import KAnonymity, People
from kanon_sql.model.suggested_policy import Suggestion
from kanon_sql.model.validation import same_name
from kanon_sql.report.tuning import Search, Tried, Tuned

_Texts = dict[tuple[str, Generalization | None], str]


def tuned(
    con: Connection,
    queries: str,
    *,
    k: int,
    quasi_identifiers: Sequence[str] | None,
    drop: Sequence[str] = (),
    per: str | None = None,
    per_row: bool = False,
    name: str,
    table_as: str,
    seconds: float,
    announce: Callable[[Tried, int], None],
) -> tuple[Tuned, Suggestion]:
    """Search a policy for the table ``source`` of a connection.

    Parameters
    ----------
    con : Connection
        With the table.
    queries : str
        SELECT statements of counts, sums and averages over one table.
    quasi_identifiers : sequence of str, optional
        All other columns but identifiers are released unchanged. None takes the roles that `suggest` gives.
    drop : sequence of str
        Columns that are left out.
    per, per_row
        What k counts, as for `kanon_sql.anonymize`.
    name, table_as : str
        What the policy is called, and the table that it is stored for, as SQL spells it.
    seconds : float
        The time limit of the search.
    announce : callable
        Gets the best so far, and the number of releases.

    Raises
    ------
    PolicyError, InfeasibleError
        When the default cannot be released, or a query cannot run.
    """
    named = columns(con.raw, "source")
    plain = suggestion(con.raw, "source", k=k, name=name, table_as=table_as)
    if quasi_identifiers is not None:
        plain = _of_columns(plain, quasi_identifiers, k)
        dropped = dropped_columns(drop, plain.policy.policy, named)
    else:
        dropped = read_drop(drop, named)
    plain = _counting(_without(plain, [*dropped, *([] if per is None else [per])]), per, per_row)
    people = plain.policy.policy.people
    # a release without undecided columns is what can be tuned
    out = {*plain.policy.identifiers, *plain.undecided}
    gone = [column for column in named if column in out and (people is None or same_name(column) != same_name(people.per))]
    left = [column for column in named if column not in out]
    requested, uses = read_queries(queries, left), uses_of(queries, left)
    levels, texts = _levels(plain, uses)
    identifying = tuple(QuasiIdentifier(column=qi.column) for qi in plain.policy.policy.quasi_identifiers)
    start = replace(plain.policy.policy, quasi_identifiers=identifying, keep=plain.policy.kept).resolve(remaining(named, gone))
    found = Search(
        con=con, queries=requested, start=start, levels=levels, uses=uses, seconds=seconds, announce=announce, drop=gone
    ).run()
    return found, _stated(plain, found, texts, len(requested))


def _of_columns(plain: Suggestion, chosen: Sequence[str], k: int) -> Suggestion:
    """Return a suggestion in which the chosen columns are the quasi-identifiers; others but identifiers are kept."""
    roles = []
    for each in plain.roles:
        if each.column in chosen:
            recoding = each.recoding if each.role == "quasi-identifier" else None
            roles.append(replace(each, role="quasi-identifier", reason="chosen", recoding=recoding))
        elif each.role in ("identifier", "person"):
            roles.append(each)
        else:
            roles.append(replace(each, role="kept", reason="not chosen", recoding=None))
    identifying = tuple(QuasiIdentifier(column=each.column) for each in roles if each.role == "quasi-identifier")
    per = next((each.column for each in roles if each.role == "person"), None)
    policy = replace(
        plain.policy,
        policy=Policy(quasi_identifiers=identifying, requirements=(KAnonymity(k=k) if per is None else People(k=k, per=per),)),
        identifiers=tuple(each.column for each in roles if each.role == "identifier"),
        kept=tuple(each.column for each in roles if each.role == "kept"),
    )
    return replace(plain, policy=policy, roles=tuple(roles))


def _without(plain: Suggestion, dropped: Sequence[str]) -> Suggestion:
    """Return a suggestion that leaves further columns out."""
    gone = set(map(same_name, dropped))
    roles = tuple(
        replace(each, role="identifier", reason="chosen", recoding=None) if same_name(each.column) in gone else each
        for each in plain.roles
    )
    policy = plain.policy.policy
    left = tuple(qi for qi in policy.quasi_identifiers if same_name(qi.column) not in gone)
    requested = tuple(each for each in policy.requirements if getattr(each, "sensitive", None) not in dropped)
    stored = replace(
        plain.policy,
        policy=replace(policy, quasi_identifiers=left, requirements=requested),
        identifiers=tuple(each.column for each in roles if each.role == "identifier"),
        kept=tuple(each.column for each in roles if each.role == "kept"),
    )
    return replace(plain, policy=stored, roles=roles)


def _counting(plain: Suggestion, per: str | None, per_row: bool) -> Suggestion:
    """Return a suggestion that counts people by a column, or rows that are people."""
    policy = plain.policy.policy
    requested = [replace(each, per_row=per_row) if isinstance(each, KAnonymity) else each for each in policy.requirements]
    if per is not None:
        requested = [*(each for each in requested if not isinstance(each, People)), People(k=policy.k, per=per)]
    return replace(plain, policy=replace(plain.policy, policy=replace(policy, requirements=tuple(requested))))


def _levels(plain: Suggestion, uses: Mapping[str, Use]) -> tuple[dict[str, list[Generalization]], _Texts]:
    """Return the recodings to try for each column, those that answer the queries first, and how the clause writes them."""
    levels: dict[str, list[Generalization]] = {}
    texts: _Texts = {}
    for each in plain.roles:
        for text in (uses[each.column].recoding, each.recoding) if each.role == "quasi-identifier" else ():
            if text is not None and text != "HIERARCHY":
                recoding = read_recodings({each.column: text})[each.column]
                if (each.column, recoding) not in texts:
                    levels.setdefault(each.column, []).append(recoding)
                    texts[each.column, recoding] = text
    return levels, texts


def _stated(plain: Suggestion, found: Tuned, texts: _Texts, queries: int) -> Suggestion:
    """Return the suggestion with the weights, levels and masks that were found, and their figures."""
    best = {qi.column: qi for qi in found.best.policy.quasi_identifiers}
    roles = tuple(
        each
        if each.column not in best
        else replace(each, weight=best[each.column].weight, recoding=texts.get((each.column, best[each.column].recoding)))
        for each in plain.roles
    )
    policy = replace(plain.policy.policy, quasi_identifiers=found.best.policy.quasi_identifiers, masks=found.best.policy.masks)
    before, after = found.default.errors, found.best.errors
    notes = (
        f"Tuned for {how_many(queries, 'query', 'queries')}: {how_many(found.releases, 'release')} in {found.seconds:.0f} s.",
        f"The median error is {after.median or 0:.2%}, compared with {before.median or 0:.2%} under the default policy.",
        f"95 % of the values are within {after.most or 0:.2%}, compared with {before.most or 0:.2%} under the default policy.",
        "The search read the table, so the guarantee does not cover the choice of policy.",
    )
    return replace(plain, policy=replace(plain.policy, policy=policy), roles=roles, notes=notes)
