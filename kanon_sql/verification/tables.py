"""A release compared with its source: what is hidden, what has changed, and whether each row can come from the source.

The tables are named ``source`` and ``released``. No row key leads from one to the other, a cell that was empty before looks
like a suppressed one, and a label may be that of several levels; every check here holds for each true release all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np

from kanon_sql.engines.duckdb.files.tables import columns
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.errors import AuditError, raise_alone
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy
from kanon_sql.model.recodings import Intervals, Medians
from kanon_sql.model.validation import as_identifier
from kanon_sql.verification.chosen_groups import Bounds, interval_loss, rectangle_losses
from kanon_sql.verification.class_people import Covers, fewest_people
from kanon_sql.verification.coded_source import CodedSource
from kanon_sql.verification.label_rules import reading
from kanon_sql.verification.mask_costs import mask_loss
from kanon_sql.verification.one_level import check_one_level
from kanon_sql.verification.origins import check_origins
from kanon_sql.verification.pseudonyms import Pseudonyms, refuse_unnamed
from kanon_sql.verification.readings import Domain, Reading
from kanon_sql.verification.shown_cells import Cells, read_cells
from kanon_sql.verification.shown_numbers import number_loss


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """What a release has lost: exact where each cell can be read in one way only, else between two figures."""

    cells: tuple[int, int]  # suppressed cells, at least and at most
    # the weights of the cells times what each loses, or what the masks of the rows cost, at least and at most
    cost: tuple[Fraction, Fraction]
    # of how many people the class with fewest has rows, at least and at most; None where people are not counted, or are counted
    # by their tokens
    people: tuple[int, int] | None = None


def require_columns(con: Any, policy: Policy, *, from_json: bool) -> None:
    """Refuse a table ``released`` that has other columns than a release of ``source`` has.

    Parameters
    ----------
    con : connection
        A DuckDB connection with both tables.
    from_json : bool
        Whether the release was read from JSON: a file without rows names no columns, and takes those of the source.

    Raises
    ------
    AuditError
        When the columns differ.
    """
    names = _released_columns(con, policy)
    if from_json and not con.execute("FROM released LIMIT 1").fetchall():
        listed = ", ".join(map(quoted, names))
        con.execute(f"CREATE OR REPLACE TABLE released AS SELECT {listed} FROM source WHERE false")  # noqa: S608
    if (wrong := other_columns(columns(con, "released"), names)) is not None:
        raise AuditError(wrong)


def other_columns(released: Sequence[str], expected: Sequence[str]) -> str | None:
    """Return how the columns of a release differ from the expected ones; None if they do not."""
    lacking = [name for name in expected if name not in released]
    more = [name for name in released if name not in expected]
    if list(released) == list(expected):
        return None
    found = [f"lacks {', '.join(map(as_identifier, lacking))}"] if lacking else []
    found += [f"has {', '.join(map(as_identifier, more))}, which the policy does not release"] if more else []
    return (
        f"the release {' and '.join(found) or 'has its columns in a different order'}; hint: check that it is a release of "
        "this source"
    )


def _released_columns(con: Any, policy: Policy) -> list[str]:
    """Return the columns of the source that a release has: all but what tells people apart, unless it shows tokens."""
    return [name for name in columns(con, "source") if name not in policy.dropped]


def compare(con: Any, source: CodedSource, pseudonyms: Pseudonyms, *, from_json: bool) -> Loss:
    """Compare the table ``released`` with the table ``source``; their columns may take other types by it.

    Parameters
    ----------
    con : connection
        A DuckDB connection with both tables.
    source : CodedSource
        The source as codes.
    pseudonyms : Pseudonyms
        The columns that show tokens.
    from_json : bool
        Whether the release was read from JSON, where texts and other values have lost their quotes.

    Raises
    ------
    AuditError
        When the release has other rows than the source, or shows what the source or the policy does not allow.

    Notes
    -----
    See :func:`kanon_sql.verification.origins.check_origins`.
    """
    policy = source.policy
    names = _released_columns(con, policy)
    count = "SELECT system.main.count(*) FROM {}"
    rows = [con.execute(count.format(table)).fetchall()[0][0] for table in ("source", "released")]
    if rows[0] != rows[1]:
        raise AuditError(
            f"the release has {how_many(rows[1], 'row')}, but the source has {rows[0]}; hint: check that it is a release of "
            "that table"
        )
    chosen = [qi.column for qi in policy.quasi_identifiers]
    unchanged = [name for name in names if name not in chosen]
    others = [quoted(name) for name in unchanged]
    refuse_unnamed(con, pseudonyms, unchanged)
    pseudonyms.replace_identifiers(con)
    _align(con, policy, from_json)
    pseudonyms.compare_rows(con, unchanged)
    if not rows[0]:
        return Loss(cells=(0, 0), cost=(Fraction(0), Fraction(0)))
    if others:
        listed = ", ".join(others)
        query = f"SELECT {listed} FROM source EXCEPT ALL SELECT {listed} FROM released"  # noqa: S608
        changed = con.execute(count.format(f"({query})")).fetchall()[0][0]
        if changed:
            raise AuditError(
                f"{how_many(changed, 'row of the release differs', 'rows of the release differ')} from the source in columns "
                "that are not quasi-identifiers"
            )
    cells = read_cells(con, policy, others)
    readings = [
        reading(qi.column, qi.recoding, domain, source)
        for qi, domain in zip(policy.quasi_identifiers, cells.domains, strict=True)
    ]
    for name, domain, each in zip(chosen, cells.domains, readings, strict=True):
        _check_read(name, domain, each)
    loss = _loss(source, cells, readings)
    if policy.mask_costs is not None:
        loss = replace(loss, cost=mask_loss(policy, cells, readings))
    check_origins(source, cells, readings)
    check_one_level(source, cells, readings)
    if not policy.dropped:
        return loss
    return replace(loss, people=fewest_people(cells, [_covers(*each) for each in zip(cells.domains, readings, strict=True)]))


def _covers(domain: Domain, each: Reading) -> Covers:
    return lambda label: None if label == domain.hidden else each.covers(label)


def _align(con: Any, policy: Policy, from_json: bool) -> None:
    """Give each column one type in both tables, so that what was the same before it was written is the same again."""
    query = "SELECT column_name, data_type FROM system.main.duckdb_columns() WHERE table_name = ? AND NOT internal"
    kinds = {table: dict(con.execute(query, [table]).fetchall()) for table in ("source", "released")}
    as_text = {
        qi.column
        for qi in policy.quasi_identifiers
        if policy.suppress is not None or not (qi.recoding is None or isinstance(qi.recoding, Medians))
    }
    for name, given in kinds["source"].items():
        if name in policy.dropped:
            continue
        kind, column = "VARCHAR" if name in as_text else given, quoted(name)
        value = f"system.main.to_json({column})" if kind == "JSON" and from_json else f"CAST({column} AS {kind})"
        for table, types in kinds.items():
            if types[name] != kind:
                try:
                    con.execute(f"ALTER TABLE {table} ALTER {column} TYPE {kind} USING {value}")
                except duckdb.Error:
                    raise_alone(AuditError(f'the released column "{name}" contains values that are not in the source'))


def _check_read(name: str, domain: Domain, each: Reading) -> None:
    """Refuse labels that no rule reads, and more shown cells than before."""
    strange = sum(
        int(domain.cells[label]) for label, meanings in each.meanings.items() if not meanings and label != domain.hidden
    )
    if strange:
        raise AuditError(
            f'{how_many(strange, "cell")} in the released column "{name}" '
            f"{'shows' if strange == 1 else 'show'} labels that no value of the source permits"
        )
    more = int(domain.rows[each.blank].sum()) - _gone(domain)
    if more > 0:
        raise AuditError(f'the column "{name}" shows {how_many(more, "more cell")} in the release than in the source')


def _gone(domain: Domain) -> int:
    """Return the cells of the release that look suppressed."""
    return 0 if domain.hidden is None else int(domain.cells[domain.hidden])


def _loss(source: CodedSource, cells: Cells, readings: Sequence[Reading]) -> Loss:
    policy = source.policy
    chosen = _chosen_losses(policy, cells, readings)
    for qi, domain in zip(policy.quasi_identifiers, cells.domains, strict=True):
        if qi.column in policy.aggregated:
            chosen[qi.column] = number_loss(source, qi.column, domain)
    least, most = 0, 0
    low, high = Fraction(0), Fraction(0)
    for qi, domain, each in zip(policy.quasi_identifiers, cells.domains, readings, strict=True):
        gone = _gone(domain)
        suppressed = max(0, gone - int(domain.rows[each.empty].sum()))
        least, most = least + suppressed, most + gone
        high += qi.weight * gone
        low += qi.weight * suppressed
        for label in (label for label, meanings in each.meanings.items() if meanings):
            bounds = chosen.get(qi.column, _bounds(each, label))
            if qi.column in policy.aggregated and domain.texts[label] is None:  # it has no number that it could lose
                bounds = Fraction(0), Fraction(0)
            if label == domain.hidden:  # what may be shown and look suppressed all the same
                low += qi.weight * (gone - suppressed) * bounds[0]
            else:
                low += qi.weight * int(domain.cells[label]) * bounds[0]
                high += qi.weight * int(domain.cells[label]) * bounds[1]
    return Loss(cells=(least, most), cost=(low, high))


def _bounds(each: Reading, label: int) -> Bounds:
    """Return what a cell with a label loses, at least and at most."""
    meanings = each.meanings[label]
    return min(meaning.loss for meaning in meanings), max(meaning.most or meaning.loss for meaning in meanings)


def _chosen_losses(policy: Policy, cells: Cells, readings: Sequence[Reading]) -> dict[str, Bounds]:
    """Return what chosen intervals and rectangles lose, by column."""
    place = {qi.column: c for c, qi in enumerate(policy.quasi_identifiers)}
    found = {
        name: interval_loss(name, cells.domains[place[name]], readings[place[name]])
        for name in policy.grouped
        if isinstance(policy.quasi_identifiers[place[name]].recoding, Intervals)
    }
    for pair in policy.rectangles:
        axes = [place[name] for name in pair]
        points, point = np.unique(cells.source.codes[:, axes], axis=0, return_inverse=True)
        rows = np.bincount(point, cells.source.count).astype(np.int64)
        shown = np.logical_and.reduce([cells.released.codes[:, c] != _code(cells.domains[c]) for c in axes])
        boxes = np.unique(cells.released.codes[shown][:, axes], axis=0).tolist()
        found |= rectangle_losses(pair, list(points.T), rows, [(x, y) for x, y in boxes], [readings[c] for c in axes])
    return found


def _code(domain: Domain) -> int:
    """Return the code of a cell that looks suppressed, -1 where there is none."""
    return -1 if domain.hidden is None else domain.hidden
