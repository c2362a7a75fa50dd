"""The fuzz of `tests/fuzz`, for as many minutes as asked: trials of every surface, judged by the independent checker."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from kanon_sql.errors import KanonWarning

SHOWN = 12
"""Reasons of refusals that are printed for each surface; the JSON has them all."""


def measure(minutes: float, seed: int, again: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yield one record per surface after some minutes, or one per seed that is judged again."""
    # certificates are judged, which hold the same warnings
    warnings.simplefilter("ignore", KanonWarning)
    from fuzz import campaign

    if again:
        for told in again:
            tally = campaign.Tally()
            tally.add(told, campaign.again(told), 0.0)
            yield _record(told.partition(":")[0], seed, tally)
        return
    end = time.monotonic() + 60 * minutes
    tallies: dict[str, Any] = {}
    for tallies in campaign.run(seed, lambda: time.monotonic() > end):  # noqa: B007 - the last one counts
        pass
    for name, tally in tallies.items():
        record = _record(name, seed, tally)
        if name != "moving" and tally.trials >= 100 and tally.share < campaign.LEAST_RELEASED:
            record["findings"].append(
                {"seed": f"{name}:{seed}", "finding": f"only {tally.share:.0%} of the trials were released"}
            )
        yield record


def _record(name: str, seed: int, tally: Any) -> dict[str, Any]:
    return {
        "work": name,
        "seed": seed,
        "trials": tally.trials,
        "released": tally.released,
        "brute_force": tally.judged,
        "seconds": round(tally.seconds, 1),
        "refusals": dict(tally.refusals.most_common()),
        "findings": [{"seed": told, "finding": found} for told, found in tally.found],
    }


def show(console: Console, records: list[dict[str, Any]]) -> None:
    """Print one row per surface, why trials were refused, and what was found."""
    drawn = Table(title=f"Fuzz, seed {records[0]['seed']}: every release judged, and made again of permuted rows")
    drawn.add_column("surface")
    for column in ("trials", "released", "by brute force", "findings", "s"):
        drawn.add_column(column, justify="right")
    for each in records:
        figures = (each["trials"], each["released"], each["brute_force"], len(each["findings"]))
        drawn.add_row(each["work"], *(f"{figure:,}" for figure in figures), f"{each['seconds']:.0f}")
    console.print(drawn)
    for each in records:
        for reason, count in list(each["refusals"].items())[:SHOWN]:
            console.print(f"{each['work']}: refused {count:,} times: {escape(reason)}")
    for each in records:
        for found in each["findings"]:
            console.print(f"[bold red]finding[/] --again {escape(repr(found['seed']))}: {escape(found['finding'])}")


def findings(records: list[dict[str, Any]]) -> int:
    """The number of findings."""
    return sum(len(each["findings"]) for each in records)
