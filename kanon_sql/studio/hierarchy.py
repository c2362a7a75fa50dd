"""A generalization hierarchy in the making: values in groups, groups in groups, as a file that ARX reads too."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO

from kanon_sql.errors import SourceError

ROOT = "*"
"""The label of everything."""


class Hierarchy:
    """The levels of a column.

    Parameters
    ----------
    values : sequence of str
        The values of the column.

    Attributes
    ----------
    levels : list of dict
        For each level above the values, the label of each value. A value without a group keeps its label.

    Examples
    --------
    >>> jobs = Hierarchy(["baker", "cook", "nurse"])
    >>> jobs.group(1, ["baker", "cook"], "food")
    >>> print(jobs.text())
    baker;food;*
    cook;food;*
    nurse;nurse;*
    <BLANKLINE>
    """

    def __init__(self, values: Sequence[str]) -> None:
        self.values = tuple(values)
        self.levels = [self._at(0)]

    def labels(self, level: int) -> list[str]:
        """Return the labels of a level, each once, in the order of the values; level 0 is the values."""
        return list(dict.fromkeys(self._at(level)[each] for each in self.values))

    def _at(self, level: int) -> dict[str, str]:
        """Return the label of each value at a level."""
        return {each: each for each in self.values} if level == 0 else self.levels[level - 1]

    def groups(self, level: int) -> dict[str, list[str]]:
        """Return the labels of the level below by their groups; a label without a group is alone under its own name."""
        below, at = self._at(level - 1), self._at(min(level, len(self.levels)))
        found: dict[str, dict[str, None]] = {}
        for value in self.values:
            found.setdefault(at[value], {})[below[value]] = None
        return {name: list(labels) for name, labels in found.items()}

    def rows(self, level: int, counted: Mapping[str, int]) -> dict[str, int]:
        """Return the rows of each label of a level, given those of each value; level 0 is the values."""
        found: dict[str, int] = {}
        for value, label in self._at(level).items():
            found[label] = found.get(label, 0) + counted[value]
        return found

    def group(self, level: int, labels: Iterable[str], name: str) -> None:
        """Put labels of the level below into one group.

        Parameters
        ----------
        level : int
            From 1; the one above the highest is new.
        labels : iterable of str
            Labels of the level below.
        name : str
            What the group shows.

        Raises
        ------
        SourceError
            When the name is empty, nothing is chosen, or the levels above are there already.
        """
        chosen = set(labels)
        if not name.strip() or name.strip() == ROOT:
            raise SourceError("the group has no name; hint: enter a short text, such as food")
        if not chosen:
            raise SourceError("no label is chosen; hint: choose the labels of the group")
        self._put(level, chosen, name.strip())

    def ungroup(self, level: int, labels: Iterable[str]) -> None:
        """Take labels of the level below out of their groups: each shows itself.

        Raises
        ------
        SourceError
            When the levels above are there already.
        """
        self._put(level, set(labels), None)

    def _put(self, level: int, chosen: set[str], name: str | None) -> None:
        if level < len(self.levels):
            raise SourceError("a higher level is built on this one; hint: remove that level first")
        below = self._at(level - 1)
        if level > len(self.levels):
            self.levels.append(dict(below))
        for value in self.values:
            if below[value] in chosen:
                self.levels[level - 1][value] = below[value] if name is None else name

    def remove(self) -> None:
        """Remove the highest level; the first one becomes empty."""
        self.levels.pop()
        if not self.levels:
            self.levels = [self._at(0)]

    def text(self) -> str:
        """Return the file: a line for each value, its labels from fine to coarse, separated by semicolons."""
        out = StringIO()
        writer = csv.writer(out, delimiter=";", lineterminator="\n")
        writer.writerows([value, *(level[value] for level in self.levels), ROOT] for value in self.values)
        return out.getvalue()

    def read(self, text: str) -> None:
        """Take the levels of a file for the values that it names; others keep their labels.

        Raises
        ------
        SourceError
            When a line has another number of levels than the first.
        """
        lines = [line for line in csv.reader(StringIO(text), delimiter=";") if line]
        if not lines or len({len(line) for line in lines}) > 1 or len(lines[0]) < 2:
            raise SourceError("the file is not a hierarchy; hint: write a line for each value: value;group;*")
        found = {line[0]: line[1:] for line in lines}
        depth = len(lines[0]) - 1 - all(line[-1] == ROOT for line in lines)
        self.levels = [{each: found[each][level] if each in found else each for each in self.values} for level in range(depth)]
        if not self.levels:
            self.levels = [self._at(0)]
