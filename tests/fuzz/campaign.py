"""A run over all surfaces: trials, releases, refusals by reason, and findings with the seed that shows each again."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dbt_projects import INSTALLED

from fuzz import coded_check
from fuzz.command_surface import Command
from fuzz.dbt_surface import Dbt
from fuzz.draw import trial
from fuzz.freedom import Freedom
from fuzz.macros import Macros
from fuzz.moving import Moving
from fuzz.populations import Populations
from fuzz.python_surface import Python
from fuzz.sql_surfaces import Sql
from fuzz.trials import Verdict, judge

LEAST_RELEASED = 0.6
"""Share of the trials of a surface that has to be released: a fuzz that is refused all it asks finds nothing."""

SHARES = {
    "functions": 4,
    "clause": 3,
    "policies": 2,
    "python": 3,
    "files": 1,
    "typed": 1,
    "moving": 1,
    "populations": 1,
    "freedom": 2,
    "macros": 1,
    "dbt": 1,
    "coded": 8,
}
"""How the time is divided between the surfaces."""

LATER = {"dbt": 60.0}
"""Seconds that a surface waits whose trials take about as long: a short run spends its time on the others."""


@dataclass
class Tally:
    """What one surface has come to."""

    trials: int = 0
    released: int = 0
    judged: int = 0
    seconds: float = 0.0
    refusals: Counter[str] = field(default_factory=Counter)
    found: list[tuple[str, str]] = field(default_factory=list)

    def add(self, seed: str, verdict: Verdict, seconds: float) -> None:
        """Count a verdict."""
        self.trials += 1
        self.released += verdict.released
        self.judged += verdict.judged
        self.seconds += seconds
        if verdict.reason:
            self.refusals[verdict.reason] += 1
        self.found += [(seed, each) for each in verdict.found]

    @property
    def share(self) -> float:
        """The share of the trials that its surface could say that was released, or refused by a rule that is judged."""
        asked = self.trials - self._refused("NotSaid")
        return (self.released + self._refused("UnlistedColumnError")) / asked if asked else 1.0

    def _refused(self, kind: str) -> int:
        return sum(count for told, count in self.refusals.items() if told.startswith(kind))


@contextmanager
def surfaces() -> Iterator[dict[str, Callable[[str], Verdict]]]:
    """What judges a seed, for each surface; a seed is the name of its surface, a colon and any text."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sql = {kind: Sql(kind, folder) for kind in ("functions", "clause", "policies")}
        files, typed, python, moving, populations, freedom, macros, dbt = (
            Command(folder, texts=True),
            Command(folder, texts=False),
            Python(),
            Moving(folder),
            Populations(),
            Freedom(),
            Macros(),
            Dbt(folder),
        )

        def drawn(surface: Any, **options: Any) -> Callable[[str], Verdict]:
            return lambda seed: judge(surface, trial(seed, **options))

        try:
            yield {
                **{kind: drawn(surface) for kind, surface in sql.items()},
                "python": drawn(python, arrow=True),
                "files": drawn(files, texts=True),
                "typed": drawn(typed, plain=True),
                "moving": moving.judge,
                "populations": populations.judge,
                "freedom": freedom.judge,
                "macros": macros.judge,
                "dbt": dbt.judge,
                "coded": coded_check.judge,
            }
        finally:
            for surface in (*sql.values(), populations, freedom, macros):
                surface.close()


def again(seed: str) -> Verdict:
    """Judge one seed anew."""
    with surfaces() as judges:
        return judges[seed.partition(":")[0]](seed)


def _judged(judge: Callable[[str], Verdict], seed: str) -> Verdict:
    """Judge a seed; where the fuzz itself fails, that is a finding as well, and no end of the run."""
    try:
        return judge(seed)
    except Exception as error:
        return Verdict(found=[f"the fuzz failed: {type(error).__name__}: {error}"])


def run(seed: int, until: Callable[[], bool], names: tuple[str, ...] = tuple(SHARES)) -> Iterator[dict[str, Tally]]:
    """Run trials of all surfaces in turn; the surface that has had the least of its share of the time comes next.

    Parameters
    ----------
    seed : int
        Of the whole run: the trials of a surface are the same in every run with it.
    until : callable
        Tells when it is over.
    names : tuple of str
        The surfaces.

    Yields
    ------
    dict of Tally
        After each round, the same dictionary.
    """
    names = tuple(name for name in names if name != "dbt" or INSTALLED)
    tallies = {name: Tally() for name in names}
    with surfaces() as judges:
        while not until():
            name = min(names, key=lambda each: (tallies[each].seconds + LATER.get(each, 0.0)) / SHARES[each])
            for _ in range(50 if name == "coded" else 1):
                told = f"{name}:{seed}:{tallies[name].trials}"
                started = time.monotonic()
                verdict = _judged(judges[name], told)
                tallies[name].add(told, verdict, time.monotonic() - started)
            yield tallies
