"""Levels of a generalization hierarchy in a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kanon_sql.hierarchies import Hierarchy
from kanon_sql.ladder import Label


def hierarchy_levels(texts: Sequence[Label], columns: Mapping[str, Sequence[Label]]) -> list[list[Label]]:
    """Return the ancestors of each value at each level below the root, the parents first.

    Parameters
    ----------
    texts : sequence of Label [v]
        The values; NULL stays NULL where the hierarchy has no NULL.
    columns : mapping
        The table of the hierarchy, column by column.

    Raises
    ------
    PolicyError
        When the table is no tree, or lacks values; the message counts them.

    Notes
    -----
    Ways up of different lengths end at the root together: a value that is nearer to it shows itself for longer.
    """
    tree = Hierarchy.of(columns)
    known = [text for text in texts if text is not None or (0, None) in tree.height]
    paths = dict(zip(known, tree.paths(known)[0], strict=True))
    longest = max(map(len, paths.values()), default=1)
    return [
        [paths[text][max(0, level - longest + len(paths[text]))][1] if text in paths else None for text in texts]
        for level in range(1, longest - 1)
    ]
