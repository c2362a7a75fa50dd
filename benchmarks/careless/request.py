"""What a careless user asks for, and how it changes when an error offers a way out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from benchmarks.careless.advice import Advice
from benchmarks.careless.table import Table


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a release.

    Attributes
    ----------
    by : tuple of str
        Quasi-identifiers, or keys of counts.
    k : int
        Rows or people of a class.
    sensitive : str, optional
        A column that has to be diverse.
    measure : str, optional
        The column that counts add up.
    chosen : tuple of str
        The columns that are selected; empty for all.
    cut : tuple of str
        Columns that the user has taken out before the product sees the table.
    dropped : tuple of str
        Columns that an option of the product leaves out.
    per : str, optional
        The column that tells people apart.
    """

    by: tuple[str, ...]
    k: int = 5
    sensitive: str | None = None
    measure: str | None = None
    chosen: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    per: str | None = None

    def columns(self, table: Table) -> list[str]:
        """Return the columns of a table that are asked for."""
        gone = {*self.cut, *self.dropped} - {self.per}
        chosen = {*self.chosen, *self.by, self.sensitive, self.per} if self.chosen else {each.name for each in table.columns}
        return [each.name for each in table.columns if each.name in chosen - gone]

    def after(self, advice: Advice, person: str = "") -> Request:
        """Return the request that follows a way out; ``person`` is the column that joins others."""
        gone = {*advice.columns}
        match advice.way:
            case "one row":
                by = tuple(each for each in self.by if each not in gone)
                return replace(
                    self, cut=(*self.cut, *advice.columns), by=by, sensitive=None if self.sensitive in gone else self.sensitive
                )
            case "join":
                return replace(self, per=person)
            case "per":
                by = tuple(each for each in self.by if each not in gone)
                return replace(self, per=advice.columns[0], by=by, sensitive=None if self.sensitive in gone else self.sensitive)
            case "by":
                return replace(self, by=(*self.by, *(each for each in advice.columns if each not in self.by)))
        return replace(
            self,
            by=tuple(each for each in self.by if each not in gone),
            sensitive=None if self.sensitive in gone else self.sensitive,
            measure=None if self.measure in gone else self.measure,
            cut=self.cut if advice.option else (*self.cut, *advice.columns),
            dropped=(*self.dropped, *advice.columns) if advice.option else self.dropped,
        )


def first_request(table: Table, random: np.random.Generator) -> Request:
    """Return what somebody asks who knows the table a little: two to four plausible columns, now and then any."""
    personal = table.named("personal", "birth")
    everything = [each.name for each in table.columns if each.meaning not in ("measure", "event")]
    luck = random.random()
    count = int(random.integers(2, 5))
    by = everything[:count] if luck < 0.15 or len(personal) < 2 else personal[:count]
    if 0.15 <= luck < 0.25:
        by = [*by, str(random.choice(everything))]
    sensitive = [each for each in table.named("category", "measure") if each not in by]
    chosen = str(random.choice(sensitive)) if sensitive and random.random() < 0.5 else None
    if random.random() < 0.04:
        names = [each for each in table.named("name", "contact") if each not in by]
        chosen = names[0] if names else chosen
    measures = table.named("measure")
    return Request(tuple(dict.fromkeys(by)), sensitive=chosen, measure=measures[0] if measures else None)
