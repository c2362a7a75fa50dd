"""The row types of a source: the query that gathers them, and what the search for their release begins with."""

from __future__ import annotations

from kanon_sql.engines.duckdb.gather.from_items import from_item_of
from kanon_sql.engines.duckdb.gather.policy_columns import policy_columns_heard
from kanon_sql.engines.duckdb.gather.population import coded_populations
from kanon_sql.engines.duckdb.hashes import BYTES, UNLIKE, of_type
from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.engines.duckdb.texts import text
from kanon_sql.model.policy import Policy
from kanon_sql.model.surfaces import Surface
from kanon_sql.table.sensitive_values import labelled

_TABLE = """(SELECT system.main.list("kanon#t") FROM (SELECT CAST(COLUMNS(*) AS VARCHAR) FROM {}) AS "kanon#t")"""

_LOOK = '"kanon#look"'


def tables_of(policy: Policy) -> str:
    """Return the tables that the policy names as further arguments of a function: lists of rows, as texts or coded."""
    return "".join(f", {_TABLE.format(from_item_of(policy, name))}" for name in policy.tables) + coded_populations(policy)


def run_of(policy: Policy, unit: str = "NULL", surface: Surface = "clause") -> str:
    """Return the common table expression that `histogram` gathers row types for, once the SQL of its unit is settled."""
    return text("run", policy=literal(policy.to_json()), unit=unit, surface=literal(surface))


def histogram(source: str, policy: Policy, surface: Surface) -> dict[str, str]:
    """Return the slots of the row types of a source; errors name options of ``surface``.

    Returns
    -------
    dict of str
        ``histogram``, the query that gathers them: the quasi-identifiers, then what is known of sensitive values; ``counted``,
        what stands in a row type besides values.

    Notes
    -----
    Sensitive values are grouped by their bytes; the solver gets for each the least key of all that its column calls equal.
    """
    sensitive = [quoted(name) for name in policy.measured]
    keys = {f'"kanon#key{number}"': BYTES.format(name) for number, name in enumerate(sensitive, 1)}
    texts = {
        f'"kanon#label{number}"': f'system.main.min(CAST({quoted(name)} AS VARCHAR) COLLATE "binary")'
        for number, name in enumerate(labelled(policy), 1)
    }
    # labels are made of the look that was taken, which need not be one of the source: DuckDB turns the -0.0 of a list into 0.0
    taken = {
        name: value if column in policy.generalized else f"system.main.min({name})"
        for (name, value), column in zip(texts.items(), labelled(policy), strict=True)
    }
    equal = {
        f'"kanon#equal{number}"': f"system.main.min({key}) OVER (PARTITION BY {name})"
        for number, (key, name) in enumerate(zip(keys, sensitive, strict=True), 1)
    }
    shown = f"* EXCLUDE ({', '.join(keys)})" if keys else "*"
    read = [*(quoted(qi.column) for qi in policy.quasi_identifiers), *sensitive]
    kept = [*sensitive, *keys]
    listed = ", ".join([*texts, '"kanon#n"'])
    besides = [*kept, *texts, '"kanon#n"']
    slots = {
        "heard": policy_columns_heard(source, policy, surface),
        "grouped": ", ".join([shown, *(f"{value} AS {name}" for name, value in equal.items())]),
        "columns": ", ".join(["*", *(f"{value} AS {name}" for name, value in keys.items())]),
        "counts": ", ".join([*(f"{value} AS {name}" for name, value in texts.items()), 'system.main.count(*) AS "kanon#n"']),
        "read": ", ".join(read),
        "source": source,
        "unlike": of_type('"kanon#s"', UNLIKE),
        "values": f"COLUMNS(* EXCLUDE ({', '.join([*kept, _LOOK])}))",
        "looks": f"COLUMNS(* EXCLUDE ({', '.join(besides)}))",
        "look": _LOOK,
        "kept": "".join(f"{each}, " for each in kept),
        "rest": ", ".join(besides),
        "listed": listed,
        "sums": ", ".join(
            [*(f"{value} AS {name}" for name, value in taken.items()), 'system.main.sum("kanon#n")::BIGINT AS "kanon#n"']
        ),
    }
    return {"histogram": text("histogram", **slots), "counted": ", ".join([listed, *equal])}
