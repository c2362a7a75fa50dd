"""The columns that an audit does not count, because they are not quasi-identifiers, and that may identify people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kanon_sql.engines.duckdb.audit.identifiers import identifiers_of
from kanon_sql.engines.duckdb.audit.singled_out import singled_out
from kanon_sql.model.unlisted import UNLISTED_LIMIT, Limits
from kanon_sql.model.validation import as_identifier


def warnings_of_others(
    con: Any, table: str, others: Sequence[str], sensitive: Sequence[str], rows: int, k: int, *, unread: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return a warning for each column that identifies people by itself; if there is none, for all of them together.

    A column of few values per person may still look like an identifier, such as a name.

    Parameters
    ----------
    table : str
        A table of it.
    others : sequence of str
        Its columns that are neither quasi-identifiers nor sensitive.
    sensitive : sequence of str
        Its sensitive columns: each counts alone, and not with the others.
    rows : int
        Rows of the table.
    k : int
        The rows that look alike in the quasi-identifiers: the requested number, or those of the smallest class.
    unread : sequence of str
        Columns of which the table has hashes only.

    Notes
    -----
    The limits are those of a release. One GROUP BY for each column, and one for all together; every row is counted.
    """
    limits = Limits(UNLISTED_LIMIT, k)
    shared = limits.shared(rows)
    alone = {name: singled_out(con, table, [name], shared) for name in (*others, *sensitive)}
    facts = {
        name: f"singles out {single / rows:.1%} of the rows{limits.in_words(shared)}"
        for name, single in alone.items()
        if limits.singled_out(single, rows)
    }
    for name, reason in identifiers_of(con, table, others, unread=unread).items():
        facts.setdefault(name, f"looks like an identifier of people ({reason})")
    found = [
        f"{as_identifier(name)} {fact}. It is not a quasi-identifier, so this audit does not count it."
        for name, fact in facts.items()
    ]
    return tuple(found or _together(con, table, others, rows, limits))


def _together(con: Any, table: str, names: Sequence[str], rows: int, limits: Limits) -> Iterator[str]:
    if len(names) > 1 and (single := singled_out(con, table, names)) > limits.most * rows:
        listed = f"{', '.join(map(as_identifier, names[:-1]))} and {as_identifier(names[-1])}"
        share = f"{single / rows:.1%} of the rows"
        yield f"{listed} together single out {share}. They are not quasi-identifiers, so this audit does not count them."
