"""People in an order that nobody can predict: solvers prefer the first of equal rows, and whose rows they are is no reason."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kanon_sql.table.arrays import Int64, Words
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.equal_values import Spellings
from kanon_sql.table.keys import ascending


def shuffled_people(table: CodedTable, spellings: Spellings, column: str, numbers: Words) -> tuple[CodedTable, Spellings]:
    """Give the people of a table codes that follow keyed numbers in place of their values.

    Parameters
    ----------
    table : CodedTable
        As `together` returned it.
    spellings : Spellings
        Of its row types.
    column : str
        What tells people apart.
    numbers : uint64 array [s]
        For each spelled row type, in the order of the source, the number of its person.

    Notes
    -----
    O(t m log t). Nobody, the code of NULL, stays the last.
    """
    place = [each.column for each in table.sensitive].index(column)
    about = table.sensitive[place]
    number = np.zeros(len(about.count), np.uint64)
    number[about.codes[spellings.row_type]] = numbers
    drawn = np.lexsort((number, np.arange(len(number)) == about.empty))
    code = np.empty(len(drawn), np.int32)
    code[drawn] = np.arange(len(drawn), dtype=np.int32)
    people = replace(about, codes=code[about.codes], count=about.count[drawn])
    sensitive = [*table.sensitive[:place], people, *table.sensitive[place + 1 :]]
    order = ascending(np.hstack([np.stack([each.codes for each in sensitive], axis=1), table.codes]))
    moved = np.empty_like(order)
    moved[order] = np.arange(len(order))
    row_type: Int64 = moved[spellings.row_type]
    shuffled = replace(
        table,
        codes=np.ascontiguousarray(table.codes[order]),
        weight=table.weight[order],
        origin=table.origin[order],
        sensitive=tuple(replace(each, codes=np.ascontiguousarray(each.codes[order])) for each in sensitive),
    )
    return shuffled, replace(spellings, row_type=row_type)
