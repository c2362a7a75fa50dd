"""The figures of docs/appendix/benchmarks.md and benchmarks/README.md: one run measures them all, and writes their tables.

A table lies between two comments, ``<!-- figures: NAME -->`` and ``<!-- end -->``; the words around it are written by hand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from benchmarks import cells, exact, generalization, memory, periodic, scale, sensitive, start, tables, wide

PAGE = Path("docs") / "appendix" / "benchmarks.md"
PAGES = PAGE, Path("benchmarks") / "README.md"
"""The page that says what was measured and what it means, and the one with every table."""

Record = dict[str, Any]
Figures = dict[str, Any]

_SIZES = 1_000_000, 10_000_000

_ARX_ON_ADULT_2 = 25.5
"""Per cent of the cells that ARX suppresses in Adult-2 at k = 5 by local recoding, with suppression as the only level."""


def measured(runs: int, data: Path) -> Iterator[tuple[str, Iterator[Record]]]:
    """Yield the name of each part of the page, and its records as they are measured."""
    yield "tables", tables.measure(("Nursery", "Adult-2", "Adult"), (2, 5, 10, 100), runs, data)
    yield "exact", exact.measure(("CMC", "Adult-2"), (2, 5), data)
    yield "sensitive", sensitive.measure(data)
    yield "generalization", generalization.measure(data)
    yield "wide", wide.measure()
    yield "cells", cells.measure(data)
    yield "start", start.measure(max(runs, 5))
    yield "scale", chain(scale.measure(_SIZES, runs, "memory", data), scale.measure(_SIZES[1:], runs, "file", data))
    yield "memory", memory.measure(max(_SIZES))
    yield "periodic", periodic.measure()


def write(page: Path, figures: Figures) -> None:
    """Put the tables of a run in the place of those in the page.

    Raises
    ------
    KeyError
        When the page has a table that no run measures.
    """

    def text_of(name: str) -> str:
        match name:
            case "machine":
                return _machine(figures["machine"])
            case "summary":
                return _summary(figures)
        return _TABLES[name].drawn(figures)

    text = page.read_text(encoding="utf-8")
    between = re.compile(r"(<!-- figures: ([\w ]+) -->\n).*?(<!-- end -->)", flags=re.DOTALL)
    page.write_text(between.sub(lambda match: f"{match[1]}\n{text_of(match[2])}\n\n{match[3]}", text), encoding="utf-8")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """A table of the page.

    Parameters
    ----------
    part : str
        Whose records are its rows.
    columns : dict
        By its title, how a column writes a record; ``>`` before a title aligns the column right.
    only : callable
        Which records are shown.
    """

    part: str
    columns: dict[str, str]
    only: Callable[[Record], bool] = bool

    def drawn(self, figures: Figures) -> str:
        rows = (record for record in figures[self.part] if self.only(record))
        return _drawn(tuple(self.columns), ([cell.format(**_with_gap(row)) for cell in self.columns.values()] for row in rows))


def _drawn(titles: tuple[str, ...], rows: Iterable[Iterable[str]]) -> str:
    head = [title.removeprefix(">") for title in titles]
    rule = ["---:" if title.startswith(">") else "---" for title in titles]
    text = "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *rows))
    return re.sub(r"(\d)%", r"\1 %", text)


def _with_gap(record: Record) -> Record:
    """Return a record with the share of its cost that is not proven to be necessary."""
    cost = next((record[name] for name in ("cost", "s", "suppressed_cells") if name in record), None)
    return record if cost is None or "lower_bound" not in record else {"gap": 1 - record["lower_bound"] / cost, **record}


def _machine(about: Record) -> str:
    versions = ", ".join(f"{name} {about['packages'][name]}" for name in ("duckdb", "numpy", "pyarrow"))
    return f"Measured on {about['date']}: {about['cores']} cores, {about['system']}, Python {about['python']}, {versions}."


def _of(records: Iterable[Record], **which: object) -> Record:
    return _with_gap(next(each for each in records if all(each[name] == value for name, value in which.items())))


def _summary(figures: Figures) -> str:
    adult = _of(figures["tables"], table="Adult-2", k=5, algorithm="refine")
    share = 100 * adult["s"] / adult["rows"] / adult["columns"]
    rows = [("% of [suppressed cells](#suppression) in Adult-2, k = 5", share, _ARX_ON_ADULT_2, "ARX", adult["gap"], 1)]
    for kind in ("levels, default", "ranges and sets"):
        one = _of(figures["generalization"], kind=kind, k=5)
        peer, loss = generalization.PEERS[kind.removesuffix(", default"), 5][0]
        rows.append((f"[Mean loss](#generalization) of Adult x 9, k = 5, {kind}", one["loss"], loss, peer, one["gap"], 3))
    one = _of(figures["sensitive"], guarantee="k >= 5 AND t(occupation) <= 1/5")
    work = "% of [suppressed cells](#sensitive-columns) in Adult, k = 5 and t(occupation) ≤ 0.2"
    rows.append((work, one["share"], one["peer_share"], "ARX", one["gap"], 1))
    for work, size in (("every", _SIZES[0]), ("default", _SIZES[0]), ("default", _SIZES[1])):
        one, own = (_of(figures["scale"], rows=size, storage="memory", work=each) for each in (work, "duckdb"))
        label = f"Seconds for [{size:,} rows](#scale) x 9, {'`greedy`' if work == 'every' else 'default'}"
        rows.append((label, one["seconds"], own["seconds"], "DuckDB's `GROUP BY` and copy", one["gap"], 1))
    return _drawn(
        ("work", ">kanon-sql", ">to compare", ">ratio", ">gap"),
        (
            (work, f"{ours:.{digits}f}", f"{theirs:.{digits}f} ({peer})", f"{ours / theirs:.2f}", f"{gap:.1%}")
            for work, ours, theirs, peer, gap, digits in rows
        ),
    )


_TIMES = {">s": "{seconds:.1f}", ">CPU s": "{cpu_seconds:.1f}"}
_SQL_TIMES = {">s": "{sql_seconds:.2f}", ">CPU s": "{sql_cpu_seconds:.2f}"}
_PEAK = {">peak MB": "{peak_mb:,.0f}"}
_LOSS = {">loss": "{loss:.1%}"}
_GAP = {">gap": "{gap:.1%}"}
_BOUND = {">lower bound": "{lower_bound:,.0f}", **_GAP}
_PLAIN = {"table": "{table}", ">k": "{k}", ">suppressed cells": "{s:,}", ">plain": "{plain_greedy_s:,}"}
_RELEASED = {">suppressed cells": "{suppressed_cells:,}", **_BOUND}

_TABLES = {
    "default": _Table(
        part="tables", columns={**_PLAIN, **_BOUND, **_SQL_TIMES}, only=lambda record: record["algorithm"] == "refine"
    ),
    "greedy": _Table(
        part="tables",
        columns={**_PLAIN, ">u": "{u:.3f}", ">average class": "{h_avg:.1f}", **_SQL_TIMES},
        only=lambda record: record["algorithm"] == "greedy",
    ),
    "exact": _Table(
        part="exact",
        columns={
            "table": "{table}",
            ">k": "{k}",
            ">suppressed cells": "{s:,}",
            "status": "{status}",
            ">greedy / this": "{greedy_ratio:.3f}",
            ">s": "{seconds:.1f}",
        },
        only=lambda record: record["algorithm"] == "optimal",
    ),
    "scale": _Table(
        part="scale",
        columns={
            ">rows": "{rows:,}",
            "in": "{storage}",
            "statement": "{statement}",
            ">s": "{seconds:.2f}",
            ">ratio": "{seconds_ratio:.1f}",
            ">CPU s": "{cpu_seconds:.2f}",
            ">CPU ratio": "{cpu_seconds_ratio:.1f}",
            **_PEAK,
        },
    ),
    "scale cost": _Table(
        part="scale",
        columns={">rows": "{rows:,}", "statement": "{statement}", **_RELEASED, ">solver s": "{solver_seconds:.2f}"},
        only=lambda record: record["storage"] == "memory" and record["work"] in ("default", "every"),
    ),
    "memory": _Table(part="memory", columns={"memory limit": "{work}", **_RELEASED, **_TIMES, **_PEAK}),
    "wide": _Table(
        part="wide", columns={"table": "{table}", ">k": "{k}", "`USING`": "`{algorithm}`", **_LOSS, **_GAP, **_TIMES}
    ),
    "sensitive": _Table(
        part="sensitive",
        columns={">rows": "{rows:,}", "guarantee": "`{guarantee}`", ">cells": "{share:.1f} %", **_GAP, ">s": "{seconds:.1f}"},
    ),
    "generalization": _Table(
        part="generalization",
        columns={"recoding": "{kind}", ">k": "{k}", ">loss": "{loss:.4f}", **_GAP, ">s": "{seconds:.1f}"},
        only=lambda record: "loss" in record,
    ),
    "groups": _Table(
        part="generalization",
        columns={"labels": "{kind}", ">k": "{k}", ">groups": "{groups:,}", ">s": "{seconds:.2f}"},
        only=lambda record: "groups" in record,
    ),
    "cells": _Table(
        part="cells",
        columns={
            "table": "{table}",
            ">rows": "{rows:,}",
            ">primary": "{primary:,}",
            ">secondary": "{secondary:,}",
            **_BOUND,
            **_TIMES,
            **_PEAK,
        },
    ),
    "start": _Table(part="start", columns={"process": "{work}", ">s": "{seconds:.2f}", ">CPU s": "{cpu_seconds:.2f}"}),
    "periodic": _Table(
        part="periodic",
        columns={
            "way": "{work}",
            **_LOSS,
            ">fewest candidates": "{candidates}",
            ">visits with fewer than 5": "{below_k:.1%}",
            ">CPU s": "{seconds:.1f}",
        },
        only=lambda record: "candidates" in record,
    ),
}
"""By their names in the page."""
