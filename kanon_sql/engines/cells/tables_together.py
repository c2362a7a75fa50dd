"""Tables that are published together: the first of a source that runs is solved with all others of that source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from kanon_sql.engines.cells.base_cells import BaseCells
from kanon_sql.engines.cells.counting import Counting, counted_for
from kanon_sql.engines.cells.earlier_tables import EarlierTable
from kanon_sql.engines.cells.table_release import TableRelease, release_tables
from kanon_sql.errors import AuditError, PolicyError, SourceError
from kanon_sql.model.protection import Protection
from kanon_sql.solvers.budget import Progress

_SAME = {"cost": "COST", "per": "PER", "algorithm": "algorithm", "time_limit": "time_limit", "earlier": "value of earlier"}
"""What tables of the same source have to agree on, and its name in an error."""


class TablesTogether:
    """The tables of one transaction.

    Attributes
    ----------
    requested : list of (Counting, Protection)
        What is counted for each table alone, and its requirement.
    """

    def __init__(self) -> None:
        self.requested: list[tuple[Counting, Protection]] = []
        self._found: dict[int, TableRelease] = {}
        self._counted: dict[int, tuple[BaseCells, Counting]] = {}

    @property
    def solved(self) -> list[EarlierTable]:
        """Return the tables whose pattern is known, whether their rows are shown yet or not."""
        return [each.released for each in list(self._found.values())]

    def add(self, counting: Counting, protection: Protection) -> None:
        """Take a further table.

        Raises
        ------
        PolicyError
            When it cannot be solved together with those before it.
        """
        shape = counting.tabulation
        for other, requested in self.requested:
            if other.tabulation.source != shape.source:
                if other.tabulation.meets(shape):
                    raise PolicyError(
                        "an earlier table reads the same source with a different FROM, and the difference between the two "
                        "tables may single people out; hint: use the same FROM for both tables"
                    )
                continue
            for name, shown in _SAME.items():
                if getattr(requested, name) != getattr(protection, name):
                    raise PolicyError(
                        f"an earlier table has a different {shown}, but is solved together with this one; hint: use the same "
                        f"{shown} for both tables"
                    )
        self.requested.append((counting, protection))

    def release(
        self,
        number: int,
        cells: BaseCells,
        counting: Counting,
        earlier: Sequence[EarlierTable],
        progress: Progress,
        ended: Callable[[], bool],
    ) -> TableRelease:
        """Return one of the tables; the first of its source solves all of them.

        Parameters
        ----------
        number : int
            Its place in ``requested``.
        cells, counting, earlier, progress, ended
            As for `release_tables`.

        Raises
        ------
        PolicyError, SourceError, InfeasibleError, AuditError
            As `release_tables`; also when the source is no longer as it was when the tables were solved.
        """
        if number not in self._found:
            self._solve(number, cells, counting, earlier, progress, ended)
        else:
            before, finest = self._counted[number]
            keys, sums = set(finest.tabulation.keys), set(finest.tabulation.sums)
            if (keys, sums) != (set(counting.tabulation.keys), set(counting.tabulation.sums)):
                raise AuditError("kanon audit: the keys or sums of the table changed after it was solved; nothing was released")
            everybody = replace(finest.tabulation, condition="")  # conditions are keys here, and no cell is left out
            if not counted_for(replace(finest, tabulation=everybody, largest=counting.largest), cells, counting).same(before):
                raise SourceError(
                    "the source changed while the tables of one transaction were protected; nothing was released; hint: "
                    "query a table, not a function whose rows differ from run to run"
                )
        return self._found[number]

    def _solve(
        self,
        number: int,
        cells: BaseCells,
        counting: Counting,
        earlier: Sequence[EarlierTable],
        progress: Progress,
        ended: Callable[[], bool],
    ) -> None:
        shape = counting.tabulation
        alike = [place for place, (each, _) in enumerate(self.requested) if each.tabulation.source == shape.source]
        alike = [number, *(place for place in alike if place != number and place not in self._found)]
        requested = [self.requested[place] for place in alike]
        # the tables behind a view are known once the statement runs
        read = [(replace(each, tabulation=replace(each.tabulation, reads=shape.reads)), asks) for each, asks in requested]
        found = release_tables(cells, counting, read, earlier, progress, ended)
        self._counted |= dict.fromkeys(alike, (cells, counting))
        self._found |= dict(zip(alike, found, strict=True))
