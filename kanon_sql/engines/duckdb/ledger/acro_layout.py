"""The layout of ACRO's CSV files: tables of pandas, whose headers and labels may have several levels."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path

from kanon_sql.engines.duckdb.connect.resources import system_words
from kanon_sql.engines.duckdb.ledger.published_counts import label_of
from kanon_sql.errors import SourceError, raise_alone


def cells_of(path: Path, keys: Sequence[str]) -> Iterator[tuple[tuple[str | None, ...], str]]:
    """Yield the labels of each cell of a table, and its text.

    Parameters
    ----------
    path : Path
        The file.
    keys : sequence of str
        The names of the keys: those of the rows, then those of the columns.

    Raises
    ------
    SourceError
        When the file cannot be read, or is not laid out like that.
    """
    lines = _lines(path)
    levels, names, body = _head(lines, keys)
    by_rows = len(names)
    columns = keys[by_rows:]
    places = [place for place, name in enumerate(levels) if name in columns]
    if len(levels) == 1 and len(columns) == 1:
        places = [0]  # pandas writes no name for the only level
    if tuple(names) != tuple(keys[:by_rows]) or len(places) != len(columns):
        raise SourceError("its layout is unknown")
    others = [place for place in range(len(levels)) if place not in places]
    width = len(lines[0])
    heads = [[lines[place][column] for column in range(by_rows, width)] for place in range(len(levels))]
    if any(len(set(heads[place]) - {""}) > 1 for place in others):
        raise SourceError("it counts several values")
    for line in body:
        if len(line) != width:
            raise SourceError("its layout is unknown")
        for column, text in enumerate(line[by_rows:]):
            labels = (*_labels(line[:by_rows]), *_labels([heads[place][column] for place in places]))
            yield labels, text.strip()


def _head(lines: Sequence[Sequence[str]], keys: Sequence[str]) -> tuple[list[str], list[str], Sequence[Sequence[str]]]:
    """Return the names of the levels of the header, those of the keys of the rows, and the lines below."""
    if lines[0][0] != keys[0]:  # several levels: each begins with its name, and a line with the names of the row keys follows
        for place, line in enumerate(lines[1:], 1):
            names = [each for each in line if each]
            if names and names == list(line[: len(names)]) == list(keys[: len(names)]):
                return [each[0] for each in lines[:place]], names, lines[place + 1 :]
    own = list(takewhile(lambda pair: pair[0] == pair[1], zip(lines[0], keys, strict=False)))
    return [""], [name for name, _ in own], lines[1:]


def _labels(texts: Sequence[str]) -> tuple[str | None, ...]:
    """Return the labels of one cell by rows or by columns; below a total there are no labels."""
    return tuple(label_of(each) for each in texts)


def _lines(path: Path) -> list[list[str]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
    except (UnicodeDecodeError, csv.Error):
        raise_alone(SourceError("its file is not a CSV file in UTF-8"))
    except OSError as error:
        raise_alone(SourceError(f"its file cannot be read: {system_words(error)}"))
    if not lines:
        raise SourceError("its file is empty")
    return lines
