"""Levels of a generalization hierarchy in a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kanon_sql.errors import PolicyError
from kanon_sql.model.hierarchies import Hierarchy
from kanon_sql.table.ladder import Label


def hierarchy_levels(
    texts: Sequence[Label], columns: Mapping[str, Sequence[Label]], chosen: Sequence[int] = ()
) -> dict[int, list[Label]]:
    """Return the ancestors of each value by the number of their level, below the root, the parents first.

    Parameters
    ----------
    texts : sequence of Label [v]
        The values; NULL stays NULL where the hierarchy has no NULL.
    columns : mapping
        The table of the hierarchy, column by column.
    chosen : sequence of int
        The requested levels, ascending; empty for all.

    Raises
    ------
    PolicyError
        When the table is no tree, or values or levels are missing; the message counts them.

    Notes
    -----
    Ways up of different lengths end at the root together: a value that is nearer to it shows itself for longer.
    """
    tree = Hierarchy.of(columns)
    known = [text for text in texts if text is not None or (0, None) in tree.height]
    paths = dict(zip(known, tree.paths(known)[0], strict=True))
    longest = max(map(len, paths.values()), default=1)
    if paths and chosen and chosen[-1] > longest - 2:
        raise PolicyError(
            f"the hierarchy has no level {chosen[-1]}: it has {longest - 2} levels between the values and its root; "
            "hint: count levels from 0, which is the value itself"
        )
    return {
        level: [paths[text][max(0, level - longest + len(paths[text]))][1] if text in paths else None for text in texts]
        for level in chosen or range(1, longest - 1)
        if level
    }
