"""What columns that are released unchanged reveal: the part of a statement that counts it, next to the release itself."""

from __future__ import annotations

from kanon_sql.engines.duckdb.hashes import value_hash
from kanon_sql.engines.duckdb.label_types import differs
from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.engines.duckdb.texts import text
from kanon_sql.model.policy import Policy
from kanon_sql.model.unlisted import Limits
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

_ONE_PERSON = "COALESCE(system.main.min(person) = system.main.max(person), true)"

_CONCEALED = """        SELECT system.main.unnest(system.main.range(1, {qis} + 1)) AS j, system.main.unnest(x) AS x,
               system.main.unnest(hidden) AS hidden, n
        FROM (
            SELECT [{hashes}] AS x, [{hidden}] AS hidden, upto - after AS n
            FROM "kanon#fitted"
        )"""

_EVERY = """        SELECT system.main.unnest(system.main.range(1, {qis} + 1)) AS j, system.main.unnest(x) AS x,
               true AS hidden, 1 AS n
        FROM (SELECT [{hashes}] AS x FROM {source})"""

TOLD = '(SELECT told FROM "kanon#exposure")'


def exposure(
    source: str,
    policy: Policy,
    number: str | None = None,
    *,
    released: bool = True,
    concealed: str | None = None,
    budget: int = BUDGET,
) -> str:
    """Return common table expressions that end with ``"kanon#exposure"``: one row of counts, without values.

    Parameters
    ----------
    source : str
        The source as it stands in SQL; it is read up to six times.
    policy : Policy
        With its quasi-identifiers named.
    number : str, optional
        A column that numbers the rows and is not released.
    released : bool
        Whether ``"kanon#fitted"`` tells which cells are hidden; else each cell counts as one.
    concealed : str, optional
        Another query of the suppressed cells: ``j``, the number of a quasi-identifier, ``x``, the hash of a value, whether the
        cells are ``hidden``, and how many, ``n``.
    budget : int
        Pairs of an unchanged cell and a quasi-identifier's cell up to which every row is counted.

    Notes
    -----
    O(n c q) for c unchanged columns and q quasi-identifiers, up to a budget beyond which the table is sampled.
    """
    columns = [qi.column for qi in policy.quasi_identifiers]
    roles = [*columns, *policy.sensitive, *policy.dropped, *([] if number is None else [number])]
    identifying = ", ".join(value_hash(quoted(name)) for name in columns)
    if concealed is None:
        every = _EVERY.format(qis=len(columns), hashes=identifying, source=source)
        concealed = _concealed(policy, columns) if released else every
    # where each column has a role, none is refused, and estimates are enough for a warning
    limits = None if policy.keep is not None else Limits(policy.unlisted_limit)
    slots = {
        "source": source,
        "alone": _NEVER if limits is None else str(float(limits.alone)),
        "most": _NEVER if limits is None else str(float(limits.most)),
        "roles": ", ".join(map(quoted, roles)),
        "unchanged": value_hash(f"COLUMNS(* EXCLUDE ({', '.join(map(quoted, roles))}))"),
        "identifying": identifying,
        "person": "NULL" if policy.people is None else value_hash(quoted(policy.people.per)),
        # rows without a person are taken for those of one
        "lone": "system.main.count(*) = 1" if policy.people is None else _ONE_PERSON,
        "qis": str(len(columns)),
        "budget": str(budget),
        "groups": str(_GROUPS),
        "estimated": text("guesses", pairs='"kanon#looked_at"', agreed=str(_AGREED)),
        "exact": text("guesses", pairs='"kanon#whole"', agreed=str(_AGREED)),
        "concealed": concealed,
    }
    return text("exposure", **slots)


def _concealed(policy: Policy, columns: list[str]) -> str:
    """Return the query of the cells of each piece: whether they are hidden, wholly or by a label of another text."""
    label = {same_name(name): number for number, name in enumerate(policy.generalized, 1)}
    hidden = []
    for name in columns:
        told = f"system.main.list_contains(hidden, {literal(name)})"
        if (number := label.get(same_name(name))) is not None:
            told = f"{told} OR {differs(policy, name, f'labels[{number}]', f'qi.{quoted(name)}')}"
        hidden.append(told)
    hashes = ", ".join(value_hash(f"qi.{quoted(name)}") for name in columns)
    return _CONCEALED.format(qis=len(columns), hashes=hashes, hidden=", ".join(hidden))
