"""The judge: what a release gives away, by what the generator knows, without any code of the product.

A release fails by

- **own value**: a column outside BY that is about the person (key, name, contact, birth date, text that names it) shows a value
  that only rows of one person have. One row is enough.
- **limit**: more than a fifth of the rows show, in any other column outside BY, a value that only one person has. Fewer than 50
  rows count as 50, but never more than half of them may. A column that the user called sensitive is not judged by this, unless
  it is about the person.
- **together**: more than half of the rows show a combination of the columns outside BY, without the sensitive one, that only
  one person has. Of columns that a suggested policy keeps, only those about the person count here.
- **class**: released rows that are equal in BY (or in any so many columns of it) come from fewer than k people. If the same
  release can be made in the order of the source, its rows are those of the source one by one, and the count is exact. Otherwise
  a class counts all people with a row of the source that agrees with some row of the class in each cell that it shows. Fewer
  than k are too few.
- **count**: a published row of counts is about 1 to k - 1 people.

A limit, a combination or a class of too few people is *lost* instead, if no column that the product has seen tells people
apart, and no two that make a key together. What many people could share, such as an age or a salary, does not, even if few
people in a small table do. Then nothing can say so, and only a warning is possible; without one, it is *unwarned*. Values below
the limits are *rare*. These three are counted, and are no failures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, compress, product

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.careless.table import IDENTIFYING, Table

LIMIT = 0.2
"""Share of rows that a column without a role may single out; the contract of the product."""

LIMIT_TOGETHER = 0.5
"""The same for all such columns together, and for one of a small table."""

SMALL = 50
"""Rows up to which a table is judged as one of so many; the contract, too: two rare diagnoses of 15 people are no names."""

UNKNOWN = "unknown"
"""What a NULL of a key is called in tables of counts."""

_OF_MANY = ("personal", "measure", "event", "category")
"""Meanings of columns by which nobody would count people."""

Cells = list[str | None]


@dataclass(frozen=True, slots=True)
class Release:
    """What came out.

    Attributes
    ----------
    rows : pyarrow.Table
        The rows.
    by : tuple of str
        The quasi-identifiers.
    sensitive : tuple of str
        What the user called sensitive.
    seen : tuple of str
        The columns that the product could look at.
    told : str
        Its warnings.
    ordered : pyarrow.Table, optional
        The same release in the order of the source.
    counts : str, optional
        The column of a table of counts; then ``by`` are its keys, NULL stands for all, and `UNKNOWN` for NULL.
    suggested : bool
        Whether the policy was a suggested one.
    known : int, optional
        How many quasi-identifiers an attacker knows; None for all.
    """

    rows: pa.Table
    by: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    told: str = ""
    ordered: pa.Table | None = None
    counts: str | None = None
    suggested: bool = False
    known: int | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """What a release gives away: the rule, the columns, and how much."""

    rule: str
    columns: tuple[str, ...]
    words: str


FAILURES = ("own value", "limit", "together", "class", "count")


def judge(table: Table, release: Release, k: int) -> list[Finding]:
    """Return what a release of a table gives away.

    Parameters
    ----------
    table : Table
        The source.
    release : Release
        What came out.
    k : int
        How many people a class must have.
    """
    if release.counts is not None:
        return list(_counts(table, release, release.counts, k))
    sets = combinations(release.by, len(release.by) if release.known is None else min(release.known, len(release.by)))
    classes = chain.from_iterable(_classes(table, replace(release, by=each), k) for each in sets)
    return [*_columns(table, release), *_together(table, release), *classes]


def texts(column: pa.Array | pa.ChunkedArray) -> Cells:
    """Return cells as texts, which files without types show too."""
    return [None if cell is None else f"{cell:.6g}" if isinstance(cell, float) else str(cell) for cell in column.to_pylist()]


def _source(table: Table, name: str) -> Cells:
    return texts(next(each.cells for each in table.columns if each.name == name))


def _alone(values: Sequence[object], person: NDArray[np.int64]) -> set[object]:
    """Return the values that only rows of one person have."""
    owner: dict[object, int] = {}
    shared = set()
    for value, each in zip(values, person.tolist(), strict=True):
        if owner.setdefault(value, each) != each:
            shared.add(value)
    return {value for value in owner if value not in shared and value is not None}


def _columns(table: Table, release: Release) -> Iterator[Finding]:
    names = {each.name for each in table.columns}
    limit = min(LIMIT * max(1, SMALL / max(release.rows.num_rows, 1)), LIMIT_TOGETHER)
    for name in release.rows.column_names:
        if name in release.by or name not in names:
            continue
        alone = _alone(_source(table, name), table.person)
        share = _share(texts(release.rows[name]), alone)
        meaning = table.meaning(name)
        if share and meaning in IDENTIFYING:
            yield Finding("own value", (name,), f"{meaning}: {share:.1%} of the rows show a value of one person")
        elif share > limit and name not in release.sensitive:
            yield Finding(
                _or_lost(table, release, "limit"), (name,), f"{meaning}: {share:.1%} of the rows show a value of one person"
            )
        elif share:
            yield Finding("rare", (name,), f"{meaning}: {share:.1%} of the rows show a value of one person")


def _together(table: Table, release: Release) -> Iterator[Finding]:
    names = {each.name for each in table.columns}
    others = [each for each in release.rows.column_names if each in names and each not in (*release.by, *release.sensitive)]
    if release.suggested:
        others = [each for each in others if table.meaning(each) in (*IDENTIFYING, "part", "group", "personal")]
    if len(others) > 1:
        alone = _alone(list(zip(*(_source(table, each) for each in others), strict=True)), table.person)
        share = _share(list(zip(*(texts(release.rows[each]) for each in others), strict=True)), alone)
        if share > LIMIT_TOGETHER:
            yield Finding(
                _or_lost(table, release, "together"), tuple(others), f"{share:.1%} of the rows show a combination of one person"
            )


def _share(values: Sequence[object], alone: set[object]) -> float:
    return sum(value in alone for value in values) / max(len(values), 1)


def _classes(table: Table, release: Release, k: int) -> Iterator[Finding]:
    if not release.by or not release.rows.num_rows:
        return
    if release.ordered is not None and _equal(release.ordered, release.rows) and len(release.ordered) == len(table.person):
        exact, classes = True, _by_order(table, release.ordered, release.by)
    else:
        exact, classes = False, _by_candidates(table, release)
    small = [size for size in classes if size < k]
    if small:
        rule = _or_lost(table, release, "class")
        how = "" if exact else "at most "
        words = f"{len(small)} of {len(classes)} classes have too few people, the least {how}{min(small)}"
        yield Finding(rule, release.by, f"{words}; warned: {release.told or 'no'}")


def _or_lost(table: Table, release: Release, rule: str) -> str:
    """Return a rule, or that the key is lost, with a warning or without one."""
    if _tells_apart(table, release.seen):
        return rule
    return "lost" if "than chance explains" in release.told else "unwarned"


def _equal(one: pa.Table, other: pa.Table) -> bool:
    """Whether two tables have the same rows in any order."""
    return one.column_names == other.column_names and sorted(_rows(one), key=repr) == sorted(_rows(other), key=repr)


def _rows(table: pa.Table) -> list[tuple[str | None, ...]]:
    return list(zip(*(texts(column) for column in table.columns), strict=True))


def _by_order(table: Table, ordered: pa.Table, by: tuple[str, ...]) -> list[int]:
    people: dict[tuple[str | None, ...], set[int]] = {}
    for look, person in zip(_rows(ordered.select(list(by))), table.person.tolist(), strict=True):
        people.setdefault(look, set()).add(person)
    return [len(each) for each in people.values()]


def _by_candidates(table: Table, release: Release) -> list[int]:
    """Return for each class the number of people of the rows that agree with it, which is at least the number of its people."""
    names = {each.name for each in table.columns}
    others = [each for each in release.rows.column_names if each in names and each not in release.by]
    source = {name: np.array(_source(table, name), dtype=object) for name in release.by}
    kept_before = _rows(pa.table({name: pa.array(_source(table, name)) for name in others})) if others else []
    kept_after = _rows(release.rows.select(others)) if others else []
    members: dict[tuple[str | None, ...], list[int]] = {}
    for row, look in enumerate(_rows(release.rows.select(list(release.by)))):
        members.setdefault(look, []).append(row)
    sizes = []
    for look, rows in members.items():
        agrees = np.ones(len(table.person), dtype=bool)
        for name, cell in zip(release.by, look, strict=True):
            same = source[name] == cell if cell is not None else agrees
            if same.any():  # a label, of which the judge knows nothing, agrees with all
                agrees = agrees & same
        if others:
            shown = {kept_after[row] for row in rows}
            agrees = agrees & np.fromiter((each in shown for each in kept_before), dtype=bool, count=len(agrees))
        sizes.append(len(np.unique(table.person[agrees])))
    return sizes


def _tells_apart(table: Table, seen: tuple[str, ...]) -> bool:
    """Whether a column that was seen, or a key of two, has values that are mostly those of one person each, in several rows."""
    groups, parts = ([each for each in seen if table.meaning(each) == meaning] for meaning in ("group", "part"))
    singles = [name for name in seen if table.meaning(name) not in _OF_MANY]
    for key in (*((name,) for name in singles), *product(groups, parts)):
        cells = list(zip(*(_source(table, name) for name in key), strict=True))
        alone = _alone(cells, table.person)
        here = [cell in alone and None not in cell for cell in cells]
        if sum(here) > len(cells) / 2 and len(set(compress(cells, here))) < 0.9 * sum(here):
            return True
    return False


def _counts(table: Table, release: Release, count: str, k: int) -> Iterator[Finding]:
    source = {
        name: np.array([UNKNOWN if cell is None else cell for cell in _source(table, name)], dtype=object)
        for name in release.by
    }
    small, shown = [], 0
    for *keys, number in _rows(release.rows.select([*release.by, count])):
        if number is None or number == "0":
            continue
        shown += 1
        agrees = np.ones(len(table.person), dtype=bool)
        for name, key in zip(release.by, keys, strict=True):
            agrees &= True if key is None else source[name] == key
        people = len(np.unique(table.person[agrees]))
        if 0 < people < k:
            small.append(people)
    if small:
        yield Finding("count", release.by, f"{len(small)} of {shown} counts are about too few people, the least {min(small)}")
