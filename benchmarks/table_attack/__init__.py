"""Protected tables of one source, and a reader who has all of them.

A database is drawn from a seed (`draw`), and its tables are published by the product (`published`). A reader who has only the
rows and the text of the statements (`reader`) asks by integer programs whether a group has few people (`prover`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from benchmarks.table_attack.bands import pairs
from benchmarks.table_attack.draw import database
from benchmarks.table_attack.smaller import smaller
from benchmarks.table_attack.trial import FAILURES, NEEDLESS, Trial, attack

__all__ = ["again", "failures", "measure", "show"]

_COUNTS = ("databases", "tables", "released", "refused", "rows", "suppressed", "asked", "programs", "undecided")

_HEADS = (
    "sources",
    "tables",
    "refused",
    "rows",
    "hidden %",
    "small",
    "programs",
    "open",
    "proven",
    "alone",
    "wrong",
    "broken",
    "needless",
)

_PAIRS = "66 pairs of bands"


def again(seed: str, seed_of_pairs: int = 0) -> Trial:
    """Judge a database again, and make it smaller if something is found."""
    drawn = {each.seed: each for each in pairs(seed_of_pairs)} if seed.startswith("pair ") else {seed: database(seed)}
    trial = attack(drawn[seed])
    kinds = [kind for kind, _ in trial.findings]
    return smaller(trial.database, kinds[0]) if kinds else trial


def measure(trials: int, seed: int, told: tuple[str, ...] = ()) -> Iterator[dict[str, Any]]:
    """Yield one record per database: how its tables were published, and what was found.

    Parameters
    ----------
    trials : int
        Databases, in addition to the pairs of bands.
    seed : int
        Of the databases.
    told : tuple of str
        Seeds that are judged again, instead.
    """
    for each in told:
        yield _record(again(each, seed), "again")
    if told:
        return
    for drawn in pairs(seed):
        yield _record(attack(drawn), _PAIRS)
    for number in range(trials):
        trial = attack(database(f"{seed}.{number}"))
        yield _record(trial, trial.how)


def _record(trial: Trial, work: str) -> dict[str, Any]:
    return {
        "work": work,
        "seed": trial.database.seed,
        "databases": 1,
        **{name: getattr(trial, name) for name in _COUNTS[1:]},
        "refusals": dict(trial.refusals),
        "findings": [list(each) for each in trial.findings],
        "script": trial.script if trial.findings else [],
    }


def show(console: Console, records: list[dict[str, Any]]) -> None:
    """Print one row for each way of publishing, then the refusals and what was found."""
    drawn = Table(title="Tables of one source, and a reader who has all of them")
    drawn.add_column("published")
    for head in _HEADS:
        drawn.add_column(head, justify="right")
    for work in dict.fromkeys(each["work"] for each in records):
        own = [each for each in records if each["work"] == work]
        total = {name: sum(each[name] for each in own) for name in _COUNTS}
        found = Counter(kind for each in own for kind, _ in each["findings"])
        share = f"{100 * total['suppressed'] / max(total['rows'], 1):.1f}"
        figures = [*(total[name] for name in ("databases", "tables", "refused", "rows")), share]
        figures += [
            *(total[name] for name in ("asked", "programs", "undecided")),
            *(found[kind] for kind in (*FAILURES, NEEDLESS)),
        ]
        drawn.add_row(work, *map(str, figures))
    console.print(drawn)
    refusals = Counter[str]()
    for each in records:
        refusals.update(each["refusals"])
    for cause, count in refusals.most_common():
        console.print(f"refused {count}: {escape(cause)}", highlight=False)
    for each in records:
        for kind, words in each["findings"]:
            console.print(f"[bold red]{kind}[/] --again {escape(repr(each['seed']))}: {escape(words)}", highlight=False)
        if each["work"] == "again":
            for line in each["script"]:
                console.print(f"  {escape(line)};", highlight=False, soft_wrap=True)


def failures(records: list[dict[str, Any]]) -> int:
    """Return how many databases gave something away, or broke."""
    return sum(any(kind in FAILURES for kind, _ in each["findings"]) for each in records)
