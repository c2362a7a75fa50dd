"""A generalization hierarchy read from a table: a tree with the values at its leaves.

Two forms are read: ``(level0, level1, ..., levelh)`` with a row per value and its ancestors in order, and ``(value, parent)``
with a row per node, where the root has no parent, itself, or no row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kanon_sql.errors import PolicyError
from kanon_sql.model.validation import same_name

Label = str | None
"""What a node is called; NULL is the name of a value like any other, but of no inner node."""

Node = tuple[int, Label]
"""A node: its level where the table has levels, else 0, and its label."""

DEEPEST = 64
"""Levels of a hierarchy at which it is too deep."""

_LEAF = -1
"""The level of the leaf below an inner node that is a value itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hierarchy:
    """A tree."""

    parent: Mapping[Node, Node]  # parent of every node but the root
    height: Mapping[Node, int]  # length of the longest way down from each node

    @classmethod
    def of(cls, columns: Mapping[str, Sequence[Label]]) -> Hierarchy:
        """Read a hierarchy from the columns of its table, as texts.

        Raises
        ------
        PolicyError
            When the columns are others, or no tree; the message counts labels, which may be values of the data, and names none.
        """
        found = {same_name(name): column for name, column in columns.items()}
        if found.keys() == {"value", "parent"}:
            return _of_parents(zip(found["value"], found["parent"], strict=True))
        if len(found) > 1 and found.keys() == {f"level{level}" for level in range(len(found))}:
            return _of_levels([found[f"level{level}"] for level in range(len(found))])
        raise PolicyError(
            "a hierarchy needs the columns level0, level1, ... or value, parent; hint: put the values in level0, and one "
            "common label in the last level"
        )

    def paths(self, labels: Sequence[Label]) -> tuple[list[list[Node]], dict[Node, int]]:
        """Return for each value the nodes from its leaf up to the root, and the height of each node.

        Raises
        ------
        PolicyError
            When values are not in the hierarchy; the message counts them.
        """
        missing = sum((0, label) not in self.height for label in labels)
        if missing:
            raise PolicyError(f"{missing} of the {len(labels)} distinct values are missing from the hierarchy; hint: add them")
        paths: list[list[Node]] = []
        height = dict(self.height)
        for label in labels:
            path: list[Node] = [(0, label)]
            if height[path[0]]:
                path.insert(0, (_LEAF, label))
                height[path[0]] = 0
            while path[-1] in self.parent:
                path.append(self.parent[path[-1]])
            paths.append(path)
        return paths, height


def _of_parents(rows: Iterable[tuple[Label, Label]]) -> Hierarchy:
    pairs: dict[Node, set[Node]] = {}
    roots: set[Node] = set()
    for value, parent in rows:
        if parent in (None, value):
            roots.add((0, value))
        else:
            pairs.setdefault((0, value), set()).add((0, parent))
    both = sum(node in roots for node in pairs)
    if both:
        raise PolicyError(
            f"the hierarchy lists {_count(both, 'value')} both with and without a parent; hint: keep one row for each value"
        )
    return _tree(_only_parents(pairs, "value"), roots)


def _of_levels(levels: Sequence[Sequence[Label]]) -> Hierarchy:
    parent: dict[Node, Node] = {}
    for level, (lower, upper) in enumerate(pairwise(levels)):
        if None in upper:
            raise PolicyError(
                f"level{level + 1} of the hierarchy has empty cells; hint: fill them; only level0 may have an empty cell"
            )
        pairs: dict[Node, set[Node]] = {}
        for label, above in zip(lower, upper, strict=True):
            pairs.setdefault((level, label), set()).add((level + 1, above))
        parent |= _only_parents(pairs, f"level{level}")
    return _tree(parent, set())


def _only_parents(pairs: Mapping[Node, set[Node]], column: str) -> dict[Node, Node]:
    torn = sum(len(above) > 1 for above in pairs.values())
    if torn:
        raise PolicyError(
            f"{column} of the hierarchy has {_count(torn, 'label')} with two parents; hint: group its rows by {column}, and "
            "keep one parent per label"
        )
    return {node: next(iter(above)) for node, above in pairs.items()}


def _tree(parent: Mapping[Node, Node], roots: set[Node]) -> Hierarchy:
    """Return the tree if the parents lead from every node to one root; O(nodes)."""
    roots = roots | ({*parent.values()} - {*parent})
    if len(roots) != 1:
        found = _count(len(roots), "root") if roots else "no root"
        raise PolicyError(f"the hierarchy has {found}; hint: give all values one common ancestor, such as '*'")
    waiting = dict.fromkeys({*roots, *parent}, 0)
    for above in parent.values():
        waiting[above] += 1
    height = dict.fromkeys(waiting, 0)
    ready = [node for node, below in waiting.items() if not below]
    for node in ready:
        if node in parent:
            above = parent[node]
            height[above] = max(height[above], height[node] + 1)
            waiting[above] -= 1
            if not waiting[above]:
                ready.append(above)
    if len(ready) < len(waiting):
        circle = sum(below > 0 for below in waiting.values())
        raise PolicyError(f"the hierarchy has a cycle of {_count(circle, 'label')}; hint: remove the cycle")
    if max(height.values()) >= DEEPEST:
        raise PolicyError(
            f"too many levels in the hierarchy: {max(height.values())} (maximum {DEEPEST - 1}); hint: remove levels"
        )
    return Hierarchy(parent=parent, height=height)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number > 1 else ''}"
