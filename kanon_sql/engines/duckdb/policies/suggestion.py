"""A first policy for a table: a role for each column with its reason, found by counting; no cell value is reported."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import duckdb

from kanon_sql.certificate.exposure import shares_given_back, unchanged_columns
from kanon_sql.engines.duckdb.audit.counted_people import Counted
from kanon_sql.engines.duckdb.gather.sampled_rows import rows_of
from kanon_sql.engines.duckdb.guarantees import audit_macros
from kanon_sql.engines.duckdb.names import quoted, table_name
from kanon_sql.engines.duckdb.policies.suggested_levels import levelled
from kanon_sql.engines.duckdb.policies.suggested_roles import decided, sensitive_or_generalized, with_people
from kanon_sql.engines.duckdb.policies.template_roles import template_notes, template_roles
from kanon_sql.engines.duckdb.policies.wide_suggestion import by_known, is_wide, wide_notes
from kanon_sql.engines.duckdb.python_tables.tables import register_table
from kanon_sql.engines.duckdb.release.exposure import exposure_at_once
from kanon_sql.engines.written import read_recodings
from kanon_sql.errors import SourceError
from kanon_sql.model.guarantees.t_closeness import TCloseness
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.requirements import KAnonymity, LDiversity, People, Requirement
from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.model.suggested_policy import Role, Suggestion
from kanon_sql.model.template import template as read_template

_COMBINED = 5
"""Columns that are combined when sets are sought that single rows out."""

_REPORTED_SETS = 5
"""The most such sets that are reported."""

_MORE = 1.05
"""How many times the share of its parts a set has to single out to be reported."""

_K = 5
"""Least number of rows of a class, where nobody says."""

_CELLS = "(SELECT {columns} FROM {table})"

_EXPOSURE = 'WITH {counted} SELECT told FROM "kanon#exposure"'

_MOST = """SELECT system.main.max(n) AS most, system.main.sum(n) AS size, system.main.count(*) AS many
    FROM (SELECT system.main.count(*) AS n FROM {table} GROUP BY {column})"""


def suggest(
    table: Any,
    *,
    k: int | None = None,
    name: str = "suggested",
    table_as: str = "patients",
    template: str | None = None,
    queries: str | None = None,
) -> Suggestion:
    """Suggest a policy for a table: a role for each column, how it may be generalized, and why.

    Parameters
    ----------
    table : pyarrow.Table, pandas.DataFrame, polars.DataFrame or DuckDBPyRelation
        The table.
    k : int, optional
        Least number of rows of a class; 5, or what the template asks for.
    name : str
        What the policy is called.
    table_as : str
        The table that the policy is stored for, as SQL spells it.
    template : str, optional
        A rule to start from: ``'hipaa-safe-harbor'``, ``'hipaa-expert'``, ``'gdpr'``, ``'cms-11'`` or ``'opensafely'``.
    queries : str, optional
        SQL text: SELECT statements that will run on the release. They set weights, and levels that answer them.

    Returns
    -------
    Suggestion
        It prints as the statement that stores the policy.

    Raises
    ------
    SourceError
        When the table cannot be read, or has no column that could be a quasi-identifier.
    PolicyError
        When k is not an integer above 0, there is no such template, or it asks for a larger k.

    Notes
    -----
    A guess, by names, types, and counts: a column that says much about people under a name that says nothing may be missed.
    A column that repeats people tells them apart: the guarantee then counts people, ``PER`` it. A column that is not recognized
    is kept if it has few values and many people share each. Otherwise it has no role, and no release returns it until it gets
    one.

    About a dozen scans and as many GROUP BYs. With more than 12 quasi-identifiers and no template, the guarantee is by any 3
    known columns. Small tables are then counted by each set of them.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"name": ["Ann", "Bob"], "zip": ["98101", "98102"], "ward": ["a", "a"]})
    >>> print(suggest(table, k=2, table_as="stays").sql)
    -- Suggested from names, types and counts. Review this policy before you release anything under it.
    -- zip: 100.0% of the rows are singled out
    CREATE ANONYMIZATION POLICY suggested ON stays (
        IDENTIFIER name;  -- by its name
        BY zip IN DIGITS;  -- postal code
        KEEP ward;  -- one value
        GUARANTEE k >= 2
    );
    <BLANKLINE>
    """
    with duckdb.connect() as con:
        register_table(con, "source", table)
        return suggestion(con, "source", k=k, name=name, table_as=table_as, template=template, queries=queries, known=True)


def suggestion(
    con: Any,
    table: str,
    *,
    k: int | None,
    name: str,
    table_as: str,
    template: str | None = None,
    queries: str | None = None,
    known: bool = False,
) -> Suggestion:
    """Return a suggestion for a table of a connection; see `suggest`. By ``known`` columns, only if that is requested."""
    rule = None if template is None else read_template(template)
    least = rule.least_k(k) if rule is not None else _K if k is None else k
    audit_macros(con, ("profile", "unique_columns"))
    source = table_name(table)
    order = [each for (each, *_) in con.execute(f"DESCRIBE FROM {source}").fetchall()]
    profile = {each[0]: each for each in con.execute("FROM profile($name)", {"name": table}).fetchall()}
    distinct = {column: profile[column][2] for column in order}
    roles = {column: _role(*profile[column][:1], *profile[column][6:8]) for column in order}
    if rule is not None:
        roles = template_roles(con, table, rule, roles, profile)
    sample = rows_of(con, source)
    roles, per, notes = with_people(roles, sample)
    counted = Counted(con, source, per)
    requirements: list[Requirement] = [KAnonymity(k=least) if per is None else People(k=least, per=per)]
    for each in [each for each in roles.values() if each.role == "sensitive"]:
        roles[each.column] = each = sensitive_or_generalized(counted, each, least)
        diversity = _diversity(con, source, each.column)
        if each.role != "sensitive":
            continue
        if diversity is None:
            roles[each.column] = replace(each, role="kept", reason=f"{each.reason}, but it has one value")
        else:
            requirements.append(diversity)
            if rule is not None and rule.t is not None:
                requirements.append(TCloseness(sensitive=each.column, t=rule.t))
    roles |= {each.column: each for each in _identifying(con, source, roles, distinct)}
    roles = decided(counted, roles, sample, distinct)
    if queries is not None:
        roles = _weighed(roles, queries)
    identifying = [each for each in roles.values() if each.role == "quasi-identifier"]
    roles |= {each.column: each for each in levelled(counted, identifying, distinct, least)}
    chosen = [each.column for each in identifying]
    wide = known and rule is None and is_wide(chosen)
    guarantees = by_known(chosen, requirements) if wide else tuple(requirements)
    stored = _policy(name, table_as, list(roles.values()), guarantees)
    stored.check_columns([column for column in order if roles[column].role != "undecided"])
    unique = _unique(counted, table, roles, profile)
    if rule is not None:
        notes += tuple(template_notes(con, source, rule, roles))
    elif wide:
        notes += wide_notes(counted, chosen, least)
    return Suggestion(policy=stored, roles=tuple(roles.values()), unique_columns=unique, notes=notes)


def _role(column: str, role: str, reason: str) -> Role:
    """Return what `profile` says of a column; of one that it does not recognize somebody has to decide."""
    return Role(column=column, role="undecided" if role == "kept" else role, reason=reason)


def _weighed(roles: dict[str, Role], queries: str) -> dict[str, Role]:
    """Return the roles with weights by what queries use, and with levels that answer them where no rule has set any."""
    from kanon_sql.clause.workload import uses_of, weights_of  # sqlglot is only loaded where there is something to read

    uses = uses_of(queries, roles)
    weights = weights_of({name: use for name, use in uses.items() if roles[name].role == "quasi-identifier"})
    found = dict(roles)
    for name, weight in weights.items():
        reported = f"{roles[name].reason}; used by {how_many(uses[name].queries, 'query', 'queries')}"
        recoding = roles[name].recoding or uses[name].recoding
        found[name] = replace(roles[name], reason=reported, weight=weight, recoding=recoding)
    return found


def _diversity(con: Any, table: str, column: str) -> LDiversity | None:
    """Return the diversity that the whole table has, and so a release can have; None where it has one value."""
    most, size, many = con.execute(_MOST.format(table=table, column=quoted(column))).fetchall()[0]
    if many < 2:
        return None
    return LDiversity(sensitive=column, l=Fraction(2), variant="frequency" if 2 * most <= size else "distinct")


def _identifying(con: Any, table: str, roles: dict[str, Role], distinct: dict[str, int]) -> Iterator[Role]:
    """Yield undecided columns that shall be quasi-identifiers: those that reveal one, or if there is none the most various."""
    chosen = [each.column for each in roles.values() if each.role == "quasi-identifier"]
    kept = [each.column for each in roles.values() if each.role == "undecided"]
    if not chosen:
        if not kept:
            raise SourceError(
                "no column can be a quasi-identifier, because every column is an identifier or sensitive; hint: run "
                "profile(...) to see why"
            )
        most = max(kept, key=lambda column: distinct[column])
        yield replace(
            roles[most],
            role="quasi-identifier",
            reason="no column has the name of a quasi-identifier; this one has the most values",
        )
        return
    if not kept:
        return
    shown = ", ".join(map(quoted, [*chosen, *kept]))
    policy = Policy(quasi_identifiers=tuple(QuasiIdentifier(column=column) for column in chosen))
    counted = exposure_at_once(_CELLS.format(columns=shown, table=table), policy, released=False)
    exposure = con.execute(_EXPOSURE.format(counted=counted)).fetchall()[0][0]
    names, given = unchanged_columns(exposure), shares_given_back(exposure)
    for place, column in enumerate(names):
        best = max(((share, chosen[j]) for (i, j), share in given.items() if i == place), default=None)
        if best is not None:
            reason = f"it reveals {best[0]:.1%} of the cells of {best[1]}"
            yield replace(roles[column], role="quasi-identifier", reason=reason)


def _policy(name: str, table: str, roles: list[Role], requirements: tuple[Requirement, ...]) -> StoredPolicy:
    by_role: dict[str, list[Role]] = {}
    for each in roles:
        by_role.setdefault(each.role, []).append(each)
    chosen = by_role.get("quasi-identifier", [])
    texts = {each.column: each.recoding for each in chosen if each.recoding not in (None, "HIERARCHY")}
    recodings = read_recodings({column: text for column, text in texts.items() if text is not None})
    identifying = tuple(
        QuasiIdentifier(column=each.column, weight=Fraction(each.weight), recoding=recodings.get(each.column))
        for each in chosen
    )
    return StoredPolicy(
        name=name,
        table=table,
        policy=Policy(quasi_identifiers=identifying, requirements=requirements),
        identifiers=tuple(each.column for each in by_role.get("identifier", [])),
        kept=tuple(each.column for each in by_role.get("kept", [])),
    )


def _unique(
    counted: Counted, table: str, roles: dict[str, Role], profile: dict[str, Any]
) -> tuple[tuple[tuple[str, ...], float], ...]:
    """Return the sets of one or two released columns that single most people out, and clearly more than a part of them."""
    released = [column for column, each in roles.items() if each.role in ("quasi-identifier", "kept")]
    combined = sorted(released, key=lambda column: (-profile[column][4], -profile[column][2]))[:_COMBINED]
    if counted.per is None:
        arguments = {"table": table, "qi": combined}
        rows = counted.con.execute("SELECT columns, share FROM unique_columns($table, 2, qi := $qi)", arguments).fetchall()
        found = [(tuple(names), share) for names, share in rows if share]
    else:
        found = [each for each in counted.singled_out(combined) if each[1]]
    place = {column: number for number, column in enumerate(combined)}
    alone = {names[0]: share for names, share in found if len(names) == 1}
    ranked = sorted(
        (
            (names, share)
            for names, share in found
            if len(names) == 1 or share > _MORE * max(alone.get(name, 0.0) for name in names)
        ),
        key=lambda each: (-each[1], len(each[0]), [place[column] for column in each[0]]),
    )
    return tuple(ranked[:_REPORTED_SETS])
