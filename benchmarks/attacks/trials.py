"""Counts of attacks that hit, and the exact test against guessing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

ALPHA = 0.01
"""Chance that a sound product fails the whole lab: the tests share it (Bonferroni)."""

Expected = Literal["chance", "success", "bound", "open"]
"""What must hold: no better than guessing; far better than guessing (the lab proves its power); at most a bound that the
guarantee implies; nothing, because no guarantee speaks of it."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One guess.

    Attributes
    ----------
    hit : bool
        Whether it was right.
    chance : float
        Probability that this very guess is right under the null hypothesis.
    best : float, optional
        Probability that the best guess is right under the null hypothesis; None where the attacker's is the best.
    """

    hit: bool
    chance: float
    best: float | None = None


def upper_tail(chances: Sequence[float], hits: int) -> float:
    """Return the probability of at least ``hits`` hits of independent guesses (Poisson binomial, exact but for rounding)."""
    distribution = np.ones(1)
    for chance in chances:
        distribution = np.convolve(distribution, (1 - chance, chance))
    return float(min(1.0, distribution[hits:].sum()))


def sampled(attack: str, variant: str, expected: Expected, trials: Iterable[Trial], note: str = "") -> dict[str, Any]:
    """Return the record of an attack that guesses once per trial."""
    found = list(trials)
    hits = sum(trial.hit for trial in found)
    return {
        "attack": attack,
        "variant": variant,
        "expected": expected,
        "trials": len(found),
        "hits": hits,
        "rate": hits / len(found),
        "guessing": float(np.mean([trial.chance if trial.best is None else trial.best for trial in found])),
        "bound": None,
        "p_value": upper_tail([trial.chance for trial in found], hits),
        "note": note,
    }


def computed(
    attack: str,
    variant: str,
    expected: Expected,
    *,
    trials: int,
    rate: float,
    guessing: float,
    bound: float | None = None,
    note: str = "",
) -> dict[str, Any]:
    """Return the record of an attack whose success rate is computed, not sampled; ``bound`` must hold without exception."""
    return {
        "attack": attack,
        "variant": variant,
        "expected": expected,
        "trials": trials,
        "hits": None,
        "rate": rate,
        "guessing": guessing,
        "bound": bound,
        "p_value": None,
        "note": note,
    }


def judged(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the records with ``threshold`` and ``ok``: at chance above the threshold, a success below it."""
    tests = sum(record["expected"] in ("chance", "success") for record in records)
    threshold = ALPHA / max(tests, 1)
    return [{**record, "threshold": threshold, "ok": _holds(record, threshold)} for record in records]


def _holds(record: dict[str, Any], threshold: float) -> bool:
    match record["expected"]:
        case "chance":
            return bool(record["p_value"] >= threshold)
        case "success":
            return bool(record["p_value"] < threshold)
        case "bound":
            return bool(record["rate"] <= record["bound"] + 1e-12)
    return True
