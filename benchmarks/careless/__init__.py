"""The careless user: messy tables of people, and a walk through every surface that accepts whatever is proposed.

A table is drawn from a seed (`generator`). A user asks for a release and takes the first way out of each error (`walk`), but
never writes ``KEEP`` or ``PER ROW``. A judge who knows the people looks for rows that a column ties to one of them (`judge`).
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table as Drawn

from benchmarks.careless.generator import ALONE, table
from benchmarks.careless.judge import FAILURES
from benchmarks.careless.walk import Surface, Walk, walk

__all__ = ["again", "failures", "measure", "show", "surfaces"]

TENTH = ("dbt", "spark", "spark python", "spark functions", "spark protect")
"""Surfaces that take seconds for each step: they get every tenth table."""


def surfaces(folder: Path) -> dict[str, Callable[[], Surface]]:
    """Return what makes each surface."""
    from dbt_projects import INSTALLED

    from benchmarks.careless import in_spark
    from benchmarks.careless.in_dbt import Dbt
    from benchmarks.careless.in_python import ProtectPython, Python
    from benchmarks.careless.in_sql import Append, Clause, Functions, Known, PlainSql, Protect
    from benchmarks.careless.in_studio import Studio
    from benchmarks.careless.suggested import Command, Stored

    found: dict[str, Callable[[], Surface]] = {
        "suggest": lambda: Command(folder / "suggest", suggested=True),
        "command": lambda: Command(folder / "command"),
        "clause": Clause,
        "some columns": lambda: Clause(some=True),
        "known": Known,
        "functions": Functions,
        "python": Python,
        "policy": Stored,
        "append": Append,
        "protect": Protect,
        "protect python": ProtectPython,
        "plain sql": PlainSql,
        "studio": lambda: Studio(folder / "studio"),
    }
    if INSTALLED:
        found["dbt"] = lambda: Dbt(folder / "dbt")
    if in_spark.installed():
        found["spark"] = lambda: in_spark.Spark(folder / "spark")
        found["spark python"] = lambda: in_spark.Frames(folder / "spark")
        found["spark functions"] = lambda: in_spark.SparkFunctions(folder / "spark")
        found["spark protect"] = lambda: in_spark.SparkProtect(folder / "spark")
    return found


def again(told: str) -> Walk:
    """Judge one trial again, told as ``surface:seed``."""
    name, _, seed = told.partition(":")
    with tempfile.TemporaryDirectory() as folder:
        return walk(surfaces(Path(folder))[name](), table(seed), seed)


def measure(
    trials: int, seed: int, told: tuple[str, ...] = (), only: tuple[str, ...] = (), *, single: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield one record per surface.

    Parameters
    ----------
    trials : int
        Tables for each surface.
    seed : int
        Of the tables.
    told : tuple of str
        Trials that are judged again, instead.
    only : tuple of str
        Surfaces; empty for all.
    single : bool
        Whether all tables are of single people.
    """
    for each in told:
        record = _record(each.partition(":")[0], seed)
        _add(record, each, again(each), single=table(each.partition(":")[2]).single)
        yield record
    with tempfile.TemporaryDirectory() as folder:
        for name, make in () if told else surfaces(Path(folder)).items():
            if only and name not in only:
                continue
            record, surface = _record(name, seed), make()
            for number in range(0, trials, 10 if name in TENTH else 1):
                drawn = table(f"{ALONE * single}{seed}.{number}")
                _add(record, f"{name}:{drawn.seed}", walk(surface, drawn, drawn.seed), single=drawn.single)
                if number % 100 == 99:
                    surface = make()  # an old connection remembers its releases
            yield record


def _record(name: str, seed: int) -> dict[str, Any]:
    counts = ("tables", "released", "refused", "failed", "lost", "unwarned", "rare", "bad_hint", "single", "falsely_refused")
    return {"work": name, "seed": seed, **dict.fromkeys(counts, 0), "rules": Counter(), "findings": []}


def _add(record: dict[str, Any], told: str, walked: Walk, *, single: bool) -> None:
    rules = {each.rule for each in walked.findings}
    record["tables"] += 1
    record["released"] += walked.released
    record["refused"] += not walked.released and not walked.broken
    record["failed"] += walked.failed
    for each in ("lost", "unwarned", "rare"):
        record[each] += each in rules
    record["bad_hint"] += walked.bad_hint
    record["single"] += single
    record["rules"].update(rules & {*FAILURES})
    false = single and not walked.broken and (walked.asked_people or not (walked.released or walked.rightly))
    record["falsely_refused"] += false
    words = [f"{each.rule}: {', '.join(each.columns)}: {each.words}" for each in walked.findings if each.rule in FAILURES]
    if walked.broken:
        words.append(f"broken: {walked.broken}")
    if false:
        words.append(f"false refusal: {walked.steps[-1] if walked.steps else walked.refusal}")
    record["findings"] += [{"seed": told, "finding": each, "steps": list(walked.steps)} for each in words]


def show(console: Console, records: list[dict[str, Any]]) -> None:
    """Print one row per surface, then what failed with the seed that shows it again."""
    drawn = Drawn(title=f"Careless users, seed {records[0]['seed']}: they take the first way out, but never KEEP or PER ROW")
    drawn.add_column("surface")
    heads = ("tables", "released", "refused", "failed", "lost", "unwarned", "rare", "bad_hint", "single", "falsely_refused")
    for head in heads:
        drawn.add_column(head.replace("_", " "), justify="right")
    for each in records:
        drawn.add_row(each["work"], *(f"{each[head]:,}" for head in heads))
    console.print(drawn)
    for each in records:
        for found in each["findings"]:
            console.print(f"[bold red]finding[/] --again {escape(repr(found['seed']))}: {escape(found['finding'])}")
            for step in found["steps"] if each["tables"] == 1 else ():
                console.print(f"  {escape(step)}", highlight=False)


def failures(records: list[dict[str, Any]]) -> int:
    """The number of releases that failed."""
    return sum(each["failed"] for each in records)
