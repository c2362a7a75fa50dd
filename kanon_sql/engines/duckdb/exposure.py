"""What columns that are released unchanged reveal: the part of a statement that counts it, next to the release itself.

A large table is sampled first. If a column without a role comes within half of a limit there, it is counted again in all rows:
a release is refused by exact counts only.
"""

from __future__ import annotations

from kanon_sql.certificate.exposure import WRONG
from kanon_sql.engines.duckdb.hashes import value_hash
from kanon_sql.engines.duckdb.label_types import differs
from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.engines.duckdb.texts import text
from kanon_sql.model.policy import Policy
from kanon_sql.model.unlisted import Limits
from kanon_sql.model.validation import same_name

_BUDGET = 4_000_000
"""Pairs of an unchanged cell and a quasi-identifier's cell in a sample; one part of so many of a table that has more."""

_GROUPS = 64
"""Distinct values in a part from which on whole groups of equal values are looked at, and not rows."""

_AGREED = 95
"""Percent of the other rows that have to agree before an attacker takes their value for that of a suppressed cell."""

_PIECES = 1 << 20
"""Pieces that a sample takes the share of suppressed cells of each value from; of more, one in so many."""

_CONCEALED = """        SELECT system.main.unnest(system.main.range(1, {qis} + 1)) AS j, system.main.unnest(x) AS x,
               system.main.unnest(hidden) AS hidden, n
        FROM (
            SELECT [{hashes}] AS x, [{hidden}] AS hidden, upto - after AS n
            FROM "kanon#fitted"{chosen}
        )"""

_ONE_IN = f""", (SELECT 1 + system.main.count(*) // {_PIECES} AS one_in FROM "kanon#fitted")
            WHERE piece % one_in = 0"""

_EVERY = """        SELECT system.main.unnest(system.main.range(1, {qis} + 1)) AS j, system.main.unnest(x) AS x,
               true AS hidden, 1 AS n
        FROM (SELECT [{hashes}] AS x FROM {source}{chosen})"""

_MEASURED = '(SELECT columns > 1 FROM "kanon#measured")'
_SUSPECTED = '(SELECT system.main.len(suspects) > 0 FROM "kanon#suspects")'

_COUNTED_AGAIN = """,
        'suspects': (SELECT suspects FROM "kanon#suspects"),
        'exact_single': (SELECT system.main.list("kanon#s") FROM "kanon#single_every" AS "kanon#s"),
        'exact_hidden': (SELECT system.main.list("kanon#s") FROM "kanon#hidden_every" AS "kanon#s"),
        'exact_guessed': (SELECT system.main.list("kanon#s") FROM "kanon#guessed_every" AS "kanon#s")"""

TOLD = '(SELECT told FROM "kanon#exposure")'


def exposure(source: str, policy: Policy, number: str | None = None, *, released: bool = True) -> str:
    """Return common table expressions that end with ``"kanon#exposure"``: one row of counts, without values.

    Parameters
    ----------
    source : str
        The source as it stands in SQL; it is read up to seven times.
    policy : Policy
        With its quasi-identifiers named.
    number : str, optional
        A column that numbers the rows and is not released.
    released : bool
        Whether ``"kanon#fitted"`` has the suppressed cells; else each cell counts as one.

    Notes
    -----
    O(n c q) for c unchanged columns and q quasi-identifiers, up to a budget beyond which the table is sampled. Suspects of a
    sample cost as much once more for each, without a budget; most releases have none, or are refused.
    """
    columns = [qi.column for qi in policy.quasi_identifiers]
    roles = [*columns, *policy.measured, *([] if number is None else [number])]
    identifying = ", ".join(value_hash(quoted(name)) for name in columns)
    hashed = {
        "source": source,
        "unchanged": value_hash(f"COLUMNS(* EXCLUDE ({', '.join(map(quoted, roles))}))"),
        "identifying": identifying,
    }

    def counts(of: str, looked: str, needed: str, pieces: str) -> str:
        if released:
            cells = _concealed(policy, columns, pieces)
        else:
            cells = _EVERY.format(qis=len(columns), hashes=identifying, source=source, chosen=f" WHERE {needed}")
        return text(
            "exposure_counts",
            of=of,
            looked=text(looked, hashes=text("exposure_hashes", needed=needed, **hashed)),
            concealed=cells,
            qis=str(len(columns)),
            agreed=str(_AGREED),
        )

    counted, every = counts("", "exposure_part", _MEASURED, _ONE_IN), ""
    if policy.keep is None:  # else each column has a role
        limits = Limits(policy.unlisted_limit)
        shares = {"alone": str(float(limits.alone)), "most": str(float(limits.most)), "wrong": str(WRONG)}
        counted += text("exposure_suspects", **shares)
        counted += counts("_every", "exposure_every", _SUSPECTED, f"\n            WHERE {_SUSPECTED}")
        every = _COUNTED_AGAIN
    return text(
        "exposure",
        source=source,
        roles=", ".join(map(quoted, roles)),
        qis=str(len(columns)),
        budget=str(_BUDGET),
        groups=str(_GROUPS),
        counted=counted,
        every=every,
    )


def _concealed(policy: Policy, columns: list[str], chosen: str) -> str:
    """Return the query of the cells of the chosen pieces: whether they are hidden, wholly or by a label of another text."""
    label = {same_name(name): number for number, name in enumerate(policy.generalized, 1)}
    hidden = []
    for name in columns:
        told = f"system.main.list_contains(hidden, {literal(name)})"
        if (number := label.get(same_name(name))) is not None:
            told = f"{told} OR {differs(policy, name, f'labels[{number}]', f'qi.{quoted(name)}')}"
        hidden.append(told)
    hashes = ", ".join(value_hash(f"qi.{quoted(name)}") for name in columns)
    return _CONCEALED.format(qis=len(columns), hashes=hashes, hidden=", ".join(hidden), chosen=chosen)
