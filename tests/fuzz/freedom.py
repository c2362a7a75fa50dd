"""More freedom never costs more: one table, released with each recoding, and under weaker guarantees."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import log
from random import Random
from typing import Any

import kanon_sql
from fuzz.known_secret import SECRET
from fuzz.outcome import RefusedError, reason, refused
from fuzz.trials import Verdict

RECODINGS = ("suppression", "levels", "SETS")

STEPS = {5: (2,), 8: (2, 4), 12: (3, 6), 30: (5, 10)}
"""The intervals of a column with so many values; one with fewer has no levels."""

SHARE, CELLS = Fraction(1, 10), 1
"""How much more a weaker guarantee may cost, and so many cells: both are searched for, and not always to the optimum."""

ALLOWED = 5.0
"""Seconds that a release may take after its time limit: for the bound, the audit, and other work on the machine."""

KINDS = (
    ("k",), ("people",), ("frequency",), ("distinct",), ("entropy",), ("recursive",), ("t",), ("ordered",), ("alpha",),
    ("beta",), ("delta",), ("people", "frequency"), ("people", "t"), ("frequency", "t"), ("distinct", "alpha"), ("k-map",),
    ("k-map", "frequency"), ("presence",),
)  # fmt: skip
"""What is guaranteed next to k."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A table, and what is asked of it: guarantees that are joined by AND, the strictest last."""

    rows: tuple[tuple[int, ...], ...]
    sizes: tuple[int, ...]
    guarantees: tuple[str, ...]
    limit: float | None

    @property
    def guarantee(self) -> str:
        """All guarantees."""
        return " AND ".join(self.guarantees)

    @property
    def weaker(self) -> list[str]:
        """The guarantees without the last, and of rows in place of people."""
        found = [" AND ".join(self.guarantees[:-1])] if len(self.guarantees) > 1 else []
        return [*found, *([self.guarantee.replace(" PER person", "")] if " PER person" in self.guarantee else [])]

    def items(self, recoding: str) -> str:
        """The columns of the clause; in SETS every third one shows ranges."""
        names = [f"c{place}" for place in range(len(self.sizes))]
        match recoding:
            case "levels":
                kinds = [f" IN INTERVALS ({', '.join(map(str, STEPS[size]))})" if size in STEPS else "" for size in self.sizes]
            case "SETS":
                kinds = [" IN RANGES" if place % 3 == 2 else " IN SETS" for place in range(len(self.sizes))]
            case _:
                kinds = [""] * len(names)
        return ", ".join(name + kind for name, kind in zip(names, kinds, strict=True))


def drawn(seed: str, most: int = 2_000) -> Asked:
    """Draw a table of 50 rows or more whose columns go together, and a guarantee that it keeps as one class."""
    draw = Random(seed)
    rows = round(50 * (most / 50) ** draw.random())
    sizes = tuple(draw.choice([2, 3, 5, 8, 12, 30]) for _ in range(draw.choice([1, 2, 3, 3, 4, 4, 5, 6])))
    values = draw.choice([2, 3, 4, 6, 10])
    columns = [_cells(draw, rows, size, draw.choice([0.3, 1.0, 3.0])) for size in (*sizes, values)]
    hidden = [draw.gauss(0, 1) for _ in range(rows)]
    columns = [_ranked(column, hidden, draw.choice([0.0, 0.5, 1.0])) for column in columns]
    people = max(20, rows // draw.choice([1, 2, 3, 5]))
    persons = [draw.randrange(people) for _ in range(rows)]
    k = draw.choice([2, 3, 5, 10])
    held = columns[-1]
    kinds = draw.choice(KINDS)
    first = "" if kinds == ("presence",) else f"k >= {k} PER person" if "people" in kinds else f"k >= {k}"
    others = [_spelled(draw, kind, Counter(held), k) for kind in kinds if kind not in ("k", "people")]
    return Asked(
        rows=tuple(zip(*columns, persons, strict=True)),
        sizes=sizes,
        guarantees=tuple(each for each in (first, *others) if each),
        limit=draw.choice([0.2, 1.0]) if draw.random() < 0.1 else None,
    )


def _cells(draw: Random, rows: int, size: int, skew: float) -> list[int]:
    """Values of a column, of which the first are the most frequent."""
    return sorted(draw.choices(range(size), [(value + 1) ** -skew for value in range(size)], k=rows))


def _ranked(column: list[int], hidden: list[float], share: float) -> list[int]:
    """The same values in the order of a hidden trait, as far as they go with it."""
    draw = Random(str(column))
    key = [share * trait + (1 - share) * draw.gauss(0, 1) for trait in hidden]
    found = [0] * len(column)
    for value, place in zip(column, sorted(range(len(column)), key=key.__getitem__), strict=True):
        found[place] = value
    return found


def _spelled(draw: Random, kind: str, count: Counter[int], k: int) -> str:
    """A guarantee that the whole table keeps."""
    rows, top = count.total(), max(count.values())
    entropy = -sum(each / rows * log(each / rows) for each in count.values())
    match kind:
        case "frequency":
            return f"l(s) >= {_below(draw, rows / top, 1.5, 2, 3)}"
        case "distinct":
            return f"l(s, 'distinct') >= {min(len(count), draw.choice([2, 3]))}"
        case "entropy":
            return f"l(s, 'entropy') >= {_below(draw, 2.718**entropy, 1.5, 2, 3)}"
        case "recursive":
            return f"l(s, 'recursive', {rows // (rows - top + 1) + 2}) >= 2" if top < rows else ""
        case "t":
            return f"t(s) <= {draw.choice([0.1, 0.2, 0.4])}"
        case "ordered":
            return f"t(s, 'ordered') <= {draw.choice([0.1, 0.2, 0.4])}"
        case "alpha":
            value, held = draw.choice(sorted(count.items()))
            return f"alpha(s, '{value}') <= {min(1.0, round(max(draw.choice([0.2, 0.4, 0.6]), held / rows + 0.01), 2))}"
        case "beta":
            return f"beta(s) <= {draw.choice([1, 2])}"
        case "delta":
            return f"delta(s) <= {draw.choice([1, 3])}"
        case "k-map":
            return f"k >= {draw.choice([2, 4]) * k} IN pop"
        case _:
            return f"presence(pop) <= {draw.choice([0.5, 0.6, 0.8])}"


def _below(draw: Random, most: float, *wanted: float) -> float:
    """One of some numbers, or a little less than the most."""
    return max(1.0, min(draw.choice(wanted), int(9 * most) / 10))


class Freedom:
    """Releases by the clause, all on one connection."""

    def __init__(self) -> None:
        self.con: Any = None

    def close(self) -> None:
        """Close the connection."""
        if self.con is not None:
            self.con.close()
        self.con = None

    def judge(self, seed: str) -> Verdict:
        """Release a table with each recoding and under weaker guarantees, and say which release costs too much."""
        return self.judged(drawn(seed))

    def judged(self, asked: Asked) -> Verdict:
        """Judge what was drawn."""
        self._store(asked)
        verdict = Verdict()
        cost: dict[tuple[str, str], Fraction] = {}
        recodings = ("suppression", "levels") if " pop" in asked.guarantee or "(pop" in asked.guarantee else RECODINGS
        for guarantee in (asked.guarantee, *asked.weaker):
            for recoding in recodings:
                try:
                    cost[guarantee, recoding] = self._cost(asked, guarantee, recoding, verdict)
                except RefusedError as refusal:
                    verdict.found.append(f"{recoding}, {guarantee}: refused, though the table as one class keeps it: {refusal}")
                    verdict.reason = f"{refusal.kind}: {reason(str(refusal))}"
                    return verdict
        verdict.released = verdict.judged = True
        if asked.limit is not None:
            return verdict
        for (guarantee, recoding), units in cost.items():
            least = cost[guarantee, "suppression"]
            if units > least:
                verdict.found.append(f"{guarantee}: {float(units):g} with {recoding}, {float(least):g} by suppression")
            strict = cost[asked.guarantee, recoding]
            if units > strict * (1 + SHARE) + CELLS:
                verdict.found.append(f"{recoding}: {float(units):g} for {guarantee}, {float(strict):g} for {asked.guarantee}")
        return verdict

    def _store(self, asked: Asked) -> None:
        """Store the table and its population: the table, two thirds and one half of it again."""
        if self.con is None:
            self.con = kanon_sql.connect(secret=SECRET)
            self.con.execute("SET enable_progress_bar = false")
        names = [*(f"c{place}" for place in range(len(asked.sizes))), "s", "person"]
        kinds = ", ".join(f"{name} {'VARCHAR' if name == 's' else 'INTEGER'}" for name in names)
        self.con.execute(f"CREATE OR REPLACE TABLE source ({kinds})")
        self.con.execute(f"INSERT INTO source VALUES {', '.join(map(str, asked.rows))}")
        people = "SELECT * EXCLUDE (s, person) FROM source"
        self.con.execute(
            f"CREATE OR REPLACE TABLE pop AS {people} "
            f"UNION ALL {people} WHERE rowid % 3 < 2 UNION ALL {people} WHERE rowid % 2 = 0"
        )

    def _cost(self, asked: Asked, guarantee: str, recoding: str, verdict: Verdict) -> Fraction:
        """Return what a release costs; one that ends too late is found.

        Raises
        ------
        RefusedError
            When it is refused.
        """
        without = ["person"] * ("person" not in guarantee) + ["s"] * ("(s" not in guarantee)
        chosen = f"* EXCLUDE ({', '.join(without)})" if without else "*"
        using = "" if asked.limit is None else f" USING auto (time_limit = {asked.limit})"
        clause = f"ANONYMIZE BY {asked.items(recoding)} GUARANTEE {guarantee}{using}"
        started = time.monotonic()
        try:
            self.con.execute(f"CREATE OR REPLACE TABLE released AS FROM (SELECT {chosen} FROM source) {clause}")
        except Exception as error:  # every kind of it is judged
            raise refused(error) from None
        seconds = time.monotonic() - started
        if asked.limit is not None and seconds > asked.limit + ALLOWED:
            verdict.found.append(f"{recoding}, {guarantee}: {seconds:.1f} s with a time limit of {asked.limit} s")
        certificate = kanon_sql.releases(self.con)[-1]
        if certificate.lower_bound > certificate.cost:
            verdict.found.append(f"{recoding}, {guarantee}: the lower bound is above the cost")
        return certificate.cost
