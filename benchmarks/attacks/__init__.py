"""The attack lab: readers of a release who know the algorithm and the code, everything but the secret.

Each module is one attack: what the attacker knows and tries, the null hypothesis, what the guarantee says, what to do.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.attacks import (
    composition,
    differencing,
    downcoding,
    homogeneity,
    known_columns,
    linking,
    minimality,
    outside,
    periodic,
    row_order,
    split_choices,
    split_rows,
)
from benchmarks.attacks.trials import ALPHA, judged

__all__ = ["ATTACKS", "failed", "judged", "measure", "show"]

ATTACKS = (
    split_rows,
    split_choices,
    row_order,
    linking,
    known_columns,
    homogeneity,
    minimality,
    downcoding,
    composition,
    periodic,
    differencing,
    outside,
)

_WORDS = {
    "chance": "must be at chance",
    "success": "must succeed: control",
    "bound": "must keep the bound",
    "open": "no guarantee",
}


def measure(tables: int, seed: int, data: Path) -> Iterator[dict[str, Any]]:
    """Yield one record per attack and variant.

    Parameters
    ----------
    tables : int
        Releases behind each sampled rate; dearer attacks take a part of them.
    seed : int
        Of the tables and of the attacker's coin.
    data : Path
        The data sets; without them the attack on Adult takes generated people.
    """
    for attack in ATTACKS:
        records = outside.run(tables, seed, data) if attack is outside else attack.run(tables, seed)
        for record in records:
            yield {**record, "null_hypothesis": attack.NULL, "seed": seed}


def failed(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the judged records in which something got past, or a control found nothing."""
    return [record for record in records if not record["ok"]]


def show(console: Console, records: list[dict[str, Any]]) -> None:
    """Print one table per attack, then what failed."""
    for attack in ATTACKS:
        own = [record for record in records if record["attack"] == attack.NAME]
        if own:
            _draw(console, attack, own)
    tests = sum(record["p_value"] is not None and record["expected"] != "open" for record in records)
    broken = failed(records)
    console.print(
        f"{tests} tests share a level of {ALPHA:.0%}; {len(broken)} of {len(records)} records are not as they must be."
    )
    for record in broken:
        console.print(f"- {record['attack']}, {record['variant']}: {_WORDS[record['expected']]}")


def _draw(console: Console, attack: Any, own: list[dict[str, Any]]) -> None:
    drawn = Table(title=attack.NAME, title_justify="left")
    drawn.add_column("variant", overflow="fold")
    for name in ("trials", "success", "guessing", "bound", "p-value"):
        drawn.add_column(name, justify="right")
    drawn.add_column("expected")
    drawn.add_column("", no_wrap=True)
    for each in own:
        drawn.add_row(
            each["variant"],
            f"{each['trials']:,}",
            f"{each['rate']:.1%}",
            f"{each['guessing']:.1%}",
            "-" if each["bound"] is None else f"{each['bound']:.1%}",
            "-" if each["p_value"] is None else f"{each['p_value']:.2g}",
            _WORDS[each["expected"]],
            "ok" if each["ok"] else "FAILED",
        )
    console.print(drawn)
    for label, text in (
        ("Knows", attack.KNOWS),
        ("Tries", attack.TRIES),
        ("Null hypothesis", attack.NULL),
        ("The guarantee", attack.SAYS),
        ("What to do", attack.ADVICE),
    ):
        console.print(f"{label}: {text}.", highlight=False)
    for note in dict.fromkeys(f"{each['variant']}: {each['note']}" for each in own if each["note"]):
        console.print(f"  {note}", highlight=False)
    console.print()
