"""The release as one SQL statement: histogram -> kanon_fit -> rows -> audit gate -> released rows.

Only integers and the columns that are released unchanged travel with the rows until the very end: every row carries the
number of its class, classes carry the shown values. So the rows are stored once, narrow, and what the audit counts is exactly
what is handed out.
"""

from __future__ import annotations

from collections.abc import Sequence

from kanon_sql.engines.duckdb.connect.shadowing import unshadowed
from kanon_sql.engines.duckdb.gather.policy_columns import policy_columns_heard
from kanon_sql.engines.duckdb.gather.population import populations
from kanon_sql.engines.duckdb.gather.row_types import histogram, run_of, tables_of
from kanon_sql.engines.duckdb.gather.unit import stated_unit
from kanon_sql.engines.duckdb.hashes import BYTES, UNLIKE, of_type, order_by_content, same_bytes
from kanon_sql.engines.duckdb.histories.people_behind_tokens import AUDITED, IN_SESSION, JUDGED, Recorded, histories
from kanon_sql.engines.duckdb.label_types import labels_of, own_values, typed_labels, typed_values, unlisted_null
from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.engines.duckdb.release.cover import cover
from kanon_sql.engines.duckdb.release.exposure import EXPOSED, SINGLED, exposure, singled
from kanon_sql.engines.duckdb.release.known_gate import known_gate
from kanon_sql.engines.duckdb.release.population_gate import population_gate
from kanon_sql.engines.duckdb.release.sensitive_gate import gate
from kanon_sql.engines.duckdb.texts import text
from kanon_sql.engines.duckdb.versions import JOIN_KEEPS_ORDER
from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.unit import Unit
from kanon_sql.model.unit_of_policy import unit_of

_NAMES = """-- this branch is empty; it gives the columns their order and their own spelling, whatever that of the policy
SELECT "kanon#s".*{texts} FROM {heard}{source} AS "kanon#s" WHERE false
UNION ALL BY NAME
"""
_VALUE = 'COLUMNS(* EXCLUDE ("kanon#piece"))'

_NUMBERS = ("row_type", "parts", "piece", "after", "upto")
"""What travels with the class of a piece."""

_PIECES = 'FROM "kanon#fitted"'
"""All pieces, to number their classes by what they show."""

_CLASSES = """SELECT class, qi, hidden, {labels} FROM "kanon#fitted"
    JOIN (SELECT class, system.main.min(piece) AS piece FROM "kanon#numbered" GROUP BY class) USING (piece)"""
"""One piece of each class, for what the class shows."""

_SHUFFLED = "the order reveals nothing about suppressed cells: it follows from the released values"
_KEPT_ORDER = "the order of the source, as requested"


def release_query(
    source: str,
    policy: Policy,
    wide: str | None = None,
    *,
    query: bool = False,
    number: str | None = None,
    unchanged: bool = True,
    recorded: Recorded = IN_SESSION,
    surface: Surface = "clause",
    settled: Sequence[str] | None = None,
    unit: Unit | None = None,
    whole: bool = False,
) -> str:
    """Return the SQL of a query that yields the released rows of ``source``, or fails.

    Parameters
    ----------
    source : str
        A quoted table name, or with ``query`` the text of a query, which is run once.
    policy : Policy
        The guarantee, with its quasi-identifiers named.
    wide : str, optional
        A query of the same rows with the columns that ``source`` leaves out.
    query : bool
        Whether ``source`` is a query.
    number : str, optional
        A column that numbers the rows and that no reader sees: the order does not follow it.
    unchanged : bool
        Whether columns released unchanged are counted; without it, nothing is refused or said of them, nor of what is counted.
    recorded : Recorded
        Where the tokens of pseudonyms are remembered.
    settled : sequence of str, optional
        The warnings about what is counted, where that is settled already.
    unit : Unit, optional
        What is counted, if the author of the policy wrote it in other words.
    whole : bool
        Whether each column is a quasi-identifier or sensitive, and no part of the policy is about rows: then rows are made of
        their classes, and not read again.

    Raises
    ------
    SourceError
        When the policy names a table by what is no name.
    PolicyError
        When a threshold has too many digits.

    Notes
    -----
    A table is read twice, for its histogram and for its rows; what is released is the second reading. If it does not have the
    row types of the first, the release fails.
    """
    relation = '"kanon#source"' if query else source
    slots = {
        "reads": f'"kanon#source" AS MATERIALIZED (\n{source}\n), ' if query else "",
        "source": relation,
        "tables": tables_of(policy),
        "least": str(policy.least_class_size),
        "unshadowed": unshadowed(),
    }
    shape = _every_column(policy) if whole else _named_columns(relation, policy, number)
    row_types = histogram(relation, policy, surface)
    unseen = row_types["counted"] + shape["undone"]
    unit_warnings = stated_unit(relation, unit or unit_of(policy), surface, wide, settled) if unchanged else "NULL"
    # else no column is released unchanged
    measures = unchanged and (bool(policy.sensitive) or not (whole or policy.keep == ()))
    return text(
        "release",
        **slots,
        run=run_of(policy, unit_warnings, surface),
        numbers=", ".join(f'"kanon#piece".{name} AS {name}' for name in _NUMBERS),
        # averages read all pieces with their class once more for each column
        kept_pieces="MATERIALIZED" if policy.aggregated else "NOT MATERIALIZED",
        shown_by_pieces=_shown(policy, _PIECES, unseen),
        shown_by_classes=_shown(policy, _CLASSES.format(labels=labels_of(policy)), unseen),
        fit_words=", found.words AS words" if own_values(policy) else "",
        populations=populations(policy),
        histogram=row_types["histogram"],
        **cover(policy),
        **population_gate(policy),
        **known_gate(policy),
        linked=histories(policy, recorded),
        before_search=f", {singled(relation, policy, number)}" if measures else "",
        singled=SINGLED if measures else "NULL",
        exposed=f", {exposure(relation, policy, number)}" if measures else "",
        exposed_figures=EXPOSED if measures else "NULL",
        names=_names(relation, policy, surface),
        **shape,
    )


def _shown(policy: Policy, pieces: str, unseen: str) -> str:
    """Return a query of what some pieces show; what stands in a row type besides, ``unseen``, is not shown."""
    labels = f" REPLACE ({', '.join(typed_labels(policy))})" if policy.generalized else ""
    slots = {"pieces": pieces, "value": _VALUE, "labels": labels, "unseen": unseen}
    if policy.suppress is None:
        return text("shown", hidden="NULL", shown=_VALUE, unlisted=unlisted_null(_VALUE), **slots)
    return text("shown", hidden=literal(policy.suppress), shown=f"CAST({_VALUE} AS VARCHAR)", unlisted="NULL", **slots)


def _names(source: str, policy: Policy, surface: Surface) -> str:
    """Return the branch that names the columns; only those that become texts are spelled as in the policy."""
    columns = ", ".join(typed_values(policy) if policy.suppress is None else map(_text, policy.quasi_identifiers))
    dropped = ", ".join(map(quoted, policy.dropped))
    texts = f" EXCLUDE ({dropped})" if dropped else ""
    texts = f"{texts} REPLACE ({columns})" if columns else texts
    return _NAMES.format(source=source, texts=texts, heard=policy_columns_heard(source, policy, surface) if texts else "")


def _text(qi: QuasiIdentifier) -> str:
    """Return a quasi-identifier as a text, which it becomes where suppressed cells are."""
    return f"CAST({quoted(qi.column)} AS VARCHAR) AS {quoted(qi.column)}"


def _every_column(policy: Policy) -> dict[str, str]:
    """Return the slots of a release whose rows are their pieces; there, the sensitive values are next to what is shown."""
    sensitive_values = {quoted(name): f'"kanon#sensitive{number}"' for number, name in enumerate(policy.measured, 1)}
    values = [f'"kanon#r".{value}' for value in sensitive_values.values()]
    kept = ", ".join(f"{value} AS {name}" for name, value in zip(sensitive_values, values, strict=True))
    number = 'system.main.sum("kanon#n")::BIGINT'
    return {
        "rows": text(
            "rows_of_every_column",
            pieces='"kanon#pieces"' if sensitive_values else '"kanon#numbered"',
            kept="".join(f", qi.{name} AS {value}" for name, value in sensitive_values.items()),
        ),
        "number": number,
        "undone": "",
        "unclassed": ", ".join(['"kanon#piece"', *sensitive_values]),
        "result": text(
            "released_of_every_column",
            kept=f" REPLACE ({kept})" if kept else "",
            order=_by_class('COLUMNS("kanon#r".* EXCLUDE ("kanon#n"))'),
        ),
        **gate(policy, values, number),
    }


def _by_class(content: str) -> str:
    """Return what rows are sorted by: what their class shows, then the hash of what they keep."""
    return f'"kanon#r"."kanon#class" ASC NULLS LAST, {order_by_content(content)}'


def _named_columns(source: str, policy: Policy, number_column: str | None) -> dict[str, str]:
    """Return the slots of a release whose rows are read again: all columns stay with them but the quasi-identifiers."""
    columns = [quoted(qi.column) for qi in policy.quasi_identifiers]
    sensitive = [quoted(name) for name in policy.measured]
    match = [same_bytes(f'"kanon#s".{column}', f'"kanon#p".qi.{column}') for column in columns]
    match += [" = ".join(BYTES.format(f"{row}.{column}") for row in ('"kanon#s"', '"kanon#p".qi')) for column in sensitive]
    ordered = policy.row_order == "source"
    numbered = f'(SELECT *, system.main.row_number() OVER () AS "kanon#position" FROM {source})' if ordered else source  # noqa: S608
    position = ', "kanon#position"' if ordered else ""
    unseen = ", ".join(map(quoted, [*policy.dropped, *([] if number_column is None else [number_column])]))
    content = 'COLUMNS("kanon#r".*' + (f" EXCLUDE ({unseen}))" if unseen else ")")
    by = '"kanon#r"."kanon#position"' if ordered else _by_class(content)
    order = f"ORDER BY {by} ASC NULLS LAST"
    kept_by_join = JOIN_KEEPS_ORDER and not ordered  # what the user asks for does not rest on a plan
    result = text(
        "released_of_named_columns",
        dropped=", ".join(['"kanon#class"', *map(quoted, policy.dropped)]) + position,
        judged=JUDGED if policy.pseudonyms else AUDITED,
        why=_KEPT_ORDER if ordered else _SHUFFLED,
        sorted=order if kept_by_join else "",
        sorted_again="" if kept_by_join else order,
    )
    number = "system.main.count(*)"
    return {
        "rows": text(
            "rows_of_named_columns",
            source=numbered,
            match=" AND ".join(match),
            columns=", ".join(columns),
            position=position,
            unlike=of_type('"kanon#told"', UNLIKE),
        ),
        "number": number,
        "undone": "".join(f", {column}" for column in sensitive),
        "unclassed": '"kanon#piece"',
        "result": result,
        **gate(policy, [f'"kanon#r".{column}' for column in sensitive], number),
    }
