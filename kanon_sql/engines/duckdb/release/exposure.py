"""What columns that are released unchanged reveal: the parts of a statement that count it, before the search and after it."""

from __future__ import annotations

from kanon_sql.engines.duckdb.hashes import value_hash
from kanon_sql.engines.duckdb.label_types import differs
from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.engines.duckdb.texts import text
from kanon_sql.model.policy import Policy
from kanon_sql.model.unlisted import MOST_SHARED, PEOPLE_PER_VALUE, Limits
from kanon_sql.model.validation import same_name

BUDGET = 500_000
"""Pairs of an unchanged cell and a quasi-identifier's cell that are looked at; of a table of more, one part of so many.

What may be refused is counted in the whole table: two columns of 10 million distinct values took a fifth longer."""

_GROUPS = 64
"""Distinct values in a part from which on whole groups of equal values are looked at, and not rows."""

_AGREED = 95
"""Percent of the other rows that have to agree before an attacker takes their value for that of a suppressed cell."""

_NEVER = "1e18"
"""A share that nothing reaches: no column is counted in the whole table."""

_ALIKE = """SELECT i, v, system.main.count(*) AS n, system.main.count(*) AS people
            FROM "kanon#unchanged" WHERE sized GROUP BY i, v"""

_OF_PEOPLE = """SELECT i, v, system.main.sum(n) AS n, system.main.count(person) AS people
            FROM (SELECT i, v, person, system.main.count(*) AS n FROM "kanon#unchanged" WHERE sized GROUP BY ALL)
            GROUP BY i, v"""
"""Rows without a person may be those of any: they count as nobody."""

_PEOPLE = "(SELECT system.main.count(DISTINCT {person}) FROM {source})"

_COUNTED = "CASE WHEN i = -1 THEN together_whole WHEN i > 0 THEN whole[i] ELSE parts = 1 END"
"""Whether a column is counted in the whole table; all columns with the sensitive ones are only warned of."""

_CONCEALED = """        SELECT system.main.unnest(system.main.range(1, {qis} + 1)) AS j, system.main.unnest(x) AS x,
               system.main.unnest(hidden) AS hidden, n
        FROM (
            SELECT [{hashes}] AS x, [{hidden}] AS hidden, upto - after AS n
            FROM "kanon#fitted"
        )"""

_EVERY = """        SELECT system.main.unnest(system.main.range(1, {qis} + 1)) AS j, system.main.unnest(x) AS x,
               true AS hidden, 1 AS n
        FROM (SELECT [{hashes}] AS x FROM {source})"""

_GUESSED = 'SELECT *, (SELECT parts = 1 FROM "kanon#measured") AS exact FROM "kanon#estimated"'

_OR_EXACTLY = f"""{_GUESSED} ANTI JOIN "kanon#suspects" USING (i, j)
            UNION ALL
            SELECT *, true FROM "kanon#exact\""""  # noqa: S608

EXPOSED = '(SELECT told FROM "kanon#exposure")'

SINGLED = '(SELECT "kanon#singled" FROM "kanon#singled")'


def singled(source: str, policy: Policy, number: str | None = None, *, budget: int = BUDGET) -> str:
    """Return common table expressions that end with ``"kanon#singled"``: one row about what singles people out.

    Parameters
    ----------
    source, policy, number
        As for `exposure`, which follows; this part needs no search.
    budget : int
        Pairs of an unchanged cell and a quasi-identifier's cell up to which every row is counted.
    """
    return text("singled", **_slots(source, policy, number), budget=str(budget), groups=str(_GROUPS), counted=_COUNTED)


def exposure_at_once(source: str, policy: Policy, *, released: bool = True, concealed: str | None = None) -> str:
    """Return both `singled` and `exposure`, for a statement that does not search."""
    return f"{singled(source, policy)}, {exposure(source, policy, released=released, concealed=concealed)}"


def exposure(
    source: str, policy: Policy, number: str | None = None, *, released: bool = True, concealed: str | None = None
) -> str:
    """Return common table expressions that follow those of `singled` and end with ``"kanon#exposure"``: one row of counts.

    Parameters
    ----------
    source : str
        The source as it stands in SQL; with `singled`, it is read up to seven times.
    policy : Policy
        With its quasi-identifiers named.
    number : str, optional
        A column that numbers the rows and is not released.
    released : bool
        Whether ``"kanon#fitted"`` tells which cells are hidden; else each cell counts as one.
    concealed : str, optional
        Another query of the suppressed cells: ``j``, the number of a quasi-identifier, ``x``, the hash of a value, whether the
        cells are ``hidden``, and how many, ``n``.

    Notes
    -----
    O(n c q) for c unchanged columns and q quasi-identifiers, up to a budget beyond which the table is sampled.
    """
    columns = [qi.column for qi in policy.quasi_identifiers]
    slots = _slots(source, policy, number)
    if concealed is None:
        every = _EVERY.format(qis=len(columns), hashes=slots["identifying"], source=source)
        concealed = _concealed(policy, columns) if released else every
    whole, guessed = "", _GUESSED
    if slots["most"] != _NEVER:  # else it is never counted, and to plan it takes a tenth of a small release
        exact = text("guesses", pairs='"kanon#whole"', agreed=str(_AGREED))
        named = {name: slots[name] for name in ("source", "most", "unchanged", "identifying")}
        whole, guessed = text("exposure_whole", exact=exact, **named), _OR_EXACTLY
    return text(
        "exposure",
        estimated=text("guesses", pairs='"kanon#looked_at"', agreed=str(_AGREED)),
        concealed=concealed,
        qis=slots["qis"],
        whole=whole,
        guessed=guessed,
    )


def _slots(source: str, policy: Policy, number: str | None) -> dict[str, str]:
    """Return the slots of `singled`; some of them are also those of `exposure`."""
    columns = [qi.column for qi in policy.quasi_identifiers]
    roles = [*columns, *policy.sensitive, *policy.dropped, *([] if number is None else [number])]
    sensitive = [f'"kanon#sensitive{place}"' for place, _ in enumerate(policy.sensitive, 1)]
    measured = [f"{value_hash(quoted(name))} AS {alias}" for name, alias in zip(policy.sensitive, sensitive, strict=True)]
    # where each column has a role, none is refused, and estimates are enough for a warning
    limits = None if policy.keep is not None else Limits(policy.unlisted_limit, policy.hidden_among)
    person = "NULL"
    if policy.people is not None:
        per = quoted(policy.people.per)
        person = f"CASE WHEN {per} IS NOT NULL THEN {value_hash(per)} END"
    together = ["system.main.hash(v)", *(["system.main.hash(v[:columns + 1])"] if sensitive else [])]
    return {
        "source": source,
        "alone": _NEVER if limits is None else str(float(limits.alone)),
        "most": _NEVER if limits is None else str(float(limits.most)),
        "most_shared": str(min(policy.hidden_among, MOST_SHARED)),
        "people_per_value": str(PEOPLE_PER_VALUE),
        "people": "rows" if policy.people is None else _PEOPLE.format(person=person, source=source),
        "last": str(-len(sensitive) - 3),
        "not_sensitive": f"COLUMNS(* EXCLUDE ({', '.join(sensitive)}))" if sensitive else "COLUMNS(*)",
        "unchanged": ", ".join([value_hash(f"COLUMNS(* EXCLUDE ({', '.join(map(quoted, roles))}))"), *measured]),
        "together": ", ".join(together),
        "togethers": str(len(together)),
        "one_in_parts": " OR ".join(f"{each} % parts = 0" for each in together),
        "identifying": ", ".join(value_hash(quoted(name)) for name in columns),
        "person": person,
        "alike": _ALIKE if policy.people is None else _OF_PEOPLE,
        "qis": str(len(columns)),
    }


def _concealed(policy: Policy, columns: list[str]) -> str:
    """Return the query of the cells of each piece: whether they are hidden, wholly or by a label of another text."""
    label = {same_name(name): number for number, name in enumerate(policy.generalized, 1)}
    hidden = []
    for name in columns:
        condition = f"system.main.list_contains(hidden, {literal(name)})"
        if (number := label.get(same_name(name))) is not None:
            condition = f"{condition} OR {differs(policy, number, f'qi.{quoted(name)}')}"
        hidden.append(condition)
    hashes = ", ".join(value_hash(f"qi.{quoted(name)}") for name in columns)
    return _CONCEALED.format(qis=len(columns), hashes=hashes, hidden=", ".join(hidden))
