"""What values that no row of the source has show at the levels of its columns: those of a table of the population."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from kanon_sql.errors import PolicyError
from kanon_sql.model.coding import Coded, Cuts
from kanon_sql.model.hierarchies import Hierarchy
from kanon_sql.model.recodings import Digits, Generalization, Intervals, Levels
from kanon_sql.table.arrays import Int32
from kanon_sql.table.coded_table import UNSEEN
from kanon_sql.table.labels.digits import counts_below, masked
from kanon_sql.table.labels.intervals import interval_levels
from kanon_sql.table.ladder import Label, Ladder
from kanon_sql.table.sensitive_values import Columns


def unseen_codes(
    recoding: Generalization, ladder: Ladder, known: Collection[Label], texts: Sequence[Label], tables: Mapping[str, Columns]
) -> list[Int32]:
    """Return for each level of a ladder the codes of what some values show there, `UNSEEN` where no row shows it.

    Parameters
    ----------
    recoding : Generalization
        One of `has_fixed_labels`.
    ladder : Ladder
        Of the column.
    known : collection of Label
        The values of the source.
    texts : sequence of Label
        Other values.
    tables : mapping
        The tables of `Policy.tables`.

    Notes
    -----
    O(texts h) for h levels. A value that has no label, such as one that is not in the hierarchy, is unseen at every level.
    """
    labels_of = _labels(recoding, known, tables)
    shown = [labels_of(text) for text in texts]
    exact = set(ladder.labels[0]) <= set(known)  # else the values may not be shown, and labels are in their place
    found = []
    for level, labels in enumerate(ladder.labels):
        code = {label: place for place, label in enumerate(labels) if label is not None}
        own = [() if exact and not level else each for each in shown]  # no value is another value
        found.append(np.array([next((code[label] for label in each if label in code), UNSEEN) for each in own], np.int32))
    return found


def _labels(
    recoding: Generalization, known: Collection[Label], tables: Mapping[str, Columns]
) -> Callable[[Label], Collection[str]]:
    """Return a function from a value to all labels that it may show."""
    match recoding:
        case Digits(shown=shown):
            counts = counts_below([*known], shown)
            return lambda text: () if text is None else [masked(text, count) for count in counts]
        case Levels(table=table):
            tree = Hierarchy.of(tables[table])

            def above(text: Label) -> Collection[str]:
                if text is None or (0, text) not in tree.height:
                    return ()
                return [label for _, label in tree.paths([text])[0][0][:-1] if label is not None]

            return above
        case Intervals() | Cuts() | Coded():

            def intervals(text: Label) -> Collection[str]:
                try:
                    return [label for (label,) in interval_levels([text], recoding).values() if label is not None]
                except PolicyError:
                    return ()

            return intervals
    raise AssertionError("the labels of other recodings depend on the source rows")
