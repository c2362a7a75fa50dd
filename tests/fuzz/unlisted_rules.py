"""Columns without a role, and the rows that they single out: counted by brute force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

from fuzz.guarantee import Guarantee
from fuzz.table import Look, Table, quoted

_LIMIT = Fraction(1, 5)

_SINGLES = "singles out"

_TOGETHER = "together single out"

_GIVES_BACK = "gives back"


def released_wrongly(source: Table, guarantee: Guarantee) -> Iterator[str]:
    """What had to be refused: columns that single out too many rows, alone or together."""
    alone, together = _too_many(source, guarantee, source.values)
    for name in alone:
        yield f"{name} singles out too many rows and was released"
    if together:
        yield "the columns without a role together single out too many rows and were released"


def refused_wrongly(message: str, source: Table, guarantee: Guarantee) -> Iterator[str]:
    """What a refusal says that is not so, or leaves out. What columns give back is told of a release, and there is none."""
    told = message.partition("; nothing was released")[0]
    certain, _ = _too_many(source, guarantee, source.values)
    possible, together = _too_many(source, guarantee, source.looks)
    for name in certain:
        if name not in told and quoted(name) not in told:
            yield f"refused without a word of {name}: {told}"
    if _TOGETHER in told and not together:
        yield f"refused for columns that together single out few rows: {told}"
    if told.count(_SINGLES) > len(possible):
        yield f"refused for columns of which only {len(possible)} single out too many rows: {told}"
    if not any(each in told for each in (_SINGLES, _TOGETHER, _GIVES_BACK)):
        yield f"refused for no reason of the rule: {told}"


def shared(k: int, people: Sequence[Look] | None, rows: int) -> int:
    """How many have to share a value: k, not more than 10, and not more than one in 40 of all, but 2."""
    return max(2, min(k, 10, (rows if people is None else len(set(people))) // 40))


def singled_out(values: Sequence[object], people: Sequence[Look] | None, fewest: int = 2) -> int:
    """How many rows have a value that fewer rows have; where people are counted, one that fewer people have."""
    if people is None:
        return sum(n for n in Counter(values).values() if n < fewest)
    whose: dict[object, set[Look]] = {}
    for value, person in zip(values, people, strict=True):
        whose.setdefault(value, set()).add(person)
    return sum(len(whose[value]) < fewest for value in values)


def _too_many(source: Table, guarantee: Guarantee, rows: Sequence[tuple[Look, ...]]) -> tuple[list[str], bool]:
    """The columns that single out too many rows, and whether all of them together do.

    Values that are equal in SQL may look different: there are as many single rows as by the values, or more, up to the looks.
    """
    if guarantee.kept is not None:
        return [], False
    roles = {*guarantee.qi, *guarantee.sensitive, *guarantee.dropped, guarantee.per}
    places = [place for place, name in enumerate(source.names) if name not in roles]
    alone = guarantee.unlisted_limit if guarantee.unlisted_limit is not None else _LIMIT
    most = max(alone, Fraction(1, 2))
    people = None if guarantee.per is None else [row[source.names.index(guarantee.per)] for row in rows]

    def single(chosen: list[int], fewest: int = 2) -> int:
        return singled_out([tuple(row[place] for place in chosen) for row in rows], people, fewest)

    found = {source.names[place]: single([place], shared(guarantee.k, people, len(rows))) for place in places}
    many = [name for name, n in found.items() if n > most * len(rows) or n > alone * max(len(rows), 50)]
    return many, len(places) > 1 and single(places) > most * len(rows)
