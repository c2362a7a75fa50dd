"""`python -m benchmarks`: run the benchmarks, print their tables, write their figures as JSON."""

from __future__ import annotations

import json
import os
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress

from benchmarks import (
    analyses,
    attacks,
    backends,
    careless,
    cells,
    exact,
    faults,
    fuzz,
    generalization,
    known,
    machine,
    matrix,
    memory,
    page,
    peers,
    periodic,
    scale,
    sensitive,
    solvers,
    spark,
    start,
    table_attack,
    table_peers,
    tables,
    wide,
)
from benchmarks import names as name_lists
from benchmarks.data import TABLES
from benchmarks.plain_greedy import KS
from kanon_sql.errors import KanonWarning

ROOT = Path(__file__).resolve().parent.parent

PARTS = {
    "tables": tables.show,
    "exact": exact.show,
    "solvers": solvers.show,
    "sensitive": sensitive.show,
    "names": name_lists.show,
    "generalization": generalization.show,
    "matrix": matrix.show,
    "analyses": analyses.show,
    "peers": peers.show,
    "table_peers": table_peers.show,
    "backends": backends.show,
    "wide": wide.show,
    "known": known.show,
    "cells": cells.show,
    "start": start.show,
    "scale": scale.show,
    "memory": memory.show,
    "periodic": periodic.show,
    "spark": spark.show,
    "attacks": attacks.show,
    "careless": careless.show,
    "table_attack": table_attack.show,
    "faults": faults.show,
    "fuzz": fuzz.show,
}

ON_REQUEST = (
    *("matrix", "known", "analyses", "spark", "peers", "table_peers"),
    *("attacks", "careless", "table_attack", "faults", "fuzz"),
)
"""Parts that run only where `--only` names them: two take long, four need programs of others, the rest looks for faults."""


@click.command(context_settings={"show_default": True})
@click.option(
    "--only",
    "parts",
    multiple=True,
    type=click.Choice(list(PARTS)),
    help=f"Run this part; repeatable. [default: all but {', '.join(ON_REQUEST)}]",
)
@click.option(
    "--page", "for_page", is_flag=True, help=f"Measure what {page.PAGE} shows, and write all tables. About half an hour."
)
@click.option(
    "--table",
    "names",
    multiple=True,
    type=click.Choice(TABLES),
    default=TABLES,
    help="Tables of the parts tables, exact (without Adult) and solvers.",
)
@click.option(
    "--k",
    "ks",
    multiple=True,
    type=click.IntRange(min=1),
    help="Values of k of the parts tables, exact, solvers and known. [default: those of the part]",
)
@click.option(
    "--rows",
    "sizes",
    multiple=True,
    type=click.IntRange(min=1000),
    default=(1_000_000, 10_000_000),
    help="Sizes of scale and spark, the largest also of memory.",
)
@click.option("--storage", type=click.Choice(["memory", "file"]), default="memory", help="Databases of scale.")
@click.option("--tables", "releases", type=click.IntRange(min=50), default=1000, help="Releases behind each rate of attacks.")
@click.option("--runs", type=click.IntRange(min=1), default=3, help="Runs behind each median.")
@click.option(
    "--data", type=click.Path(file_okay=False, path_type=Path), default=ROOT.parent / "shared" / "data", help="The data sets."
)
@click.option("--minutes", type=click.FloatRange(min=0, min_open=True), default=2.0, help="Time of faults and fuzz.")
@click.option("--surfaces", default="", metavar="A,B", help="Surfaces of careless. [default: all]")
@click.option("--single", is_flag=True, help="Only tables of careless in which each person has one row.")
@click.option(
    "--trials", type=click.IntRange(min=1), default=200, help="Tables for each surface of careless, databases of table_attack."
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Seed of attacks, careless, table_attack, faults and fuzz. [default: 1, 0, 0, 0, the clock]",
)
@click.option(
    "--again",
    multiple=True,
    metavar="SEED",
    help="Judge this seed of a finding of careless, table_attack or fuzz again; repeatable.",
)
@click.option(
    "--json",
    "output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Figures. [default: benchmarks/results/PARTS.json]",
)
def main(
    parts: tuple[str, ...],
    for_page: bool,
    output: Path | None,
    runs: int,
    data: Path,
    **options: Any,
) -> None:
    """Measure releases: quality and time on known tables, bounds, solvers, scale, many columns, a fresh process."""
    warnings.simplefilter("ignore", KanonWarning)  # they are measured, not read
    if for_page and parts:
        raise click.UsageError("--page has parts of its own: leave out --only")
    console = Console(width=None if os.isatty(1) else 128)
    figures: dict[str, Any] = {"machine": machine.description()}
    output = output or ROOT / "benchmarks" / "results" / f"{'page' if for_page else '-'.join(parts) or 'all'}.json"
    output.parent.mkdir(parents=True, exist_ok=True)
    chosen = parts or tuple(part for part in PARTS if part not in ON_REQUEST)
    by_part = ((part, _measured(part, runs=runs, data=data, **options)) for part in chosen)
    for part, records in page.measured(runs, data) if for_page else by_part:
        figures[part] = _collected(part, records)
        if part == "attacks":
            figures[part] = attacks.judged(figures[part])
        PARTS[part](console, figures[part])
        figures["machine"]["load_at_end"] = round(os.getloadavg()[0], 2)
        output.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    if for_page:
        for path in page.PAGES:
            page.write(ROOT / path, figures)
    about = figures["machine"]
    console.print(
        f"Python {about['python']}, DuckDB {about['packages']['duckdb']}, {about['cores']} cores; load {about['load']} at the "
        f"start and {about['load_at_end']} at the end."
    )
    found = {part: figures.get(part, []) for part in ON_REQUEST}
    broken = attacks.failed(found["attacks"]) or faults.broken(found["faults"])
    broken = broken or careless.failures(found["careless"]) or table_attack.failures(found["table_attack"])
    if broken or fuzz.findings(found["fuzz"]):
        raise SystemExit(1)


def _measured(
    part: str,
    *,
    names: tuple[str, ...],
    ks: tuple[int, ...],
    sizes: tuple[int, ...],
    storage: str,
    releases: int,
    runs: int,
    data: Path,
    minutes: float,
    trials: int,
    seed: int | None,
    again: tuple[str, ...],
    surfaces: str,
    single: bool,
) -> Iterator[dict[str, Any]]:
    """Return the records of a part, measured as they are asked for."""
    match part:
        case "tables":
            return tables.measure(names, ks or KS, runs, data)
        case "exact":
            return exact.measure(names, ks or exact.KS, data)
        case "solvers":
            return solvers.measure(names, ks or solvers.KS, data)
        case "sensitive":
            return sensitive.measure(data)
        case "names":
            return name_lists.measure(data)
        case "generalization":
            return generalization.measure(data)
        case "analyses":
            return analyses.measure(data)
        case "matrix":
            return matrix.measure(data)
        case "peers":
            return peers.measure(data)
        case "table_peers":
            return table_peers.measure(data)
        case "backends":
            return backends.measure(data)
        case "wide":
            return wide.measure()
        case "known":
            return known.measure(ks or known.KS, data)
        case "cells":
            return cells.measure(data)
        case "memory":
            return memory.measure(max(sizes))
        case "periodic":
            return periodic.measure()
        case "start":
            return start.measure(max(runs, 5))
        case "spark":
            return spark.measure(sizes, data)
        case "attacks":
            return attacks.measure(releases, 1 if seed is None else seed, data)
        case "careless":
            only = tuple(surfaces.split(",")) if surfaces else ()
            return careless.measure(trials, seed or 0, again, only, single=single)
        case "table_attack":
            return table_attack.measure(trials, seed or 0, again)
        case "faults":
            return faults.measure(minutes, seed or 0)
        case "fuzz":
            return fuzz.measure(minutes, int(time.time()) if seed is None else seed, again)
        case _:
            return scale.measure(sizes, runs, storage, data)


def _collected(part: str, records: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    found = []
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(part, total=None)
        for record in records:
            found.append(record)
            name = record.get("table", record.get("work", ""))
            progress.update(task, description=f"{part} {name} {record.get('k', '')}: {len(found)} done")
    return found


if __name__ == "__main__":
    main(prog_name="python -m benchmarks")
