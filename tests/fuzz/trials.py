"""One trial from its seed to its verdict: release, check, brute force, and the same rows in another order."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol

import duckdb

from fuzz.brute_force import can_judge, optimum
from fuzz.checker import check, classes_of
from fuzz.draw import Trial
from fuzz.outcome import FoundError, Outcome, RefusedError, reason
from fuzz.requirement_rules import in_order, kept
from fuzz.sql_surfaces import store
from fuzz.table import Table, read_pair
from fuzz.unlisted_rules import refused_wrongly


class Surface(Protocol):
    """Something that releases tables."""

    def release(self, trial: Trial) -> Outcome:
        """Release a trial, or raise `RefusedError` or `FoundError`."""
        ...


@dataclass
class Verdict:
    """What became of a trial."""

    released: bool = False
    reason: str = ""
    judged: bool = False
    found: list[str] = field(default_factory=list)


def judge(surface: Surface, trial: Trial) -> Verdict:
    """Run a trial on a surface, twice, and say what is wrong."""
    verdict = Verdict()
    try:
        first = surface.release(trial)
    except FoundError as finding:
        verdict.found.append(str(finding))
        return verdict
    except RefusedError as refusal:
        verdict.reason = f"{refusal.kind}: {reason(str(refusal))}"
        verdict.found += _wrongly_refused(refusal, trial)
        if refusal.kind == "InfeasibleError" and trial.rows and trial.guarantee.algorithm not in ONE_MASK:
            # In a named column a text is not shown in the place of one that a collation takes it for: they make no class.
            # Sensitive values that it takes for one stay one.
            folded = {name for name, fold in trial.folds.items() if fold}
            named = set() if trial.guarantee.every_column else folded & {*trial.guarantee.qi}
            source = source_of(trial).exactly(named)
            verdict.judged = can_judge(source, trial.guarantee)
            renamed = "no row has this value" in str(refusal)  # pandas makes 3.0 of a 3 where cells are empty
            if not renamed and _feasible(source, trial):
                verdict.found.append(f"refused as infeasible, which it is not: {refusal}")
        return verdict
    verdict.released = True
    verdict.found += [*first.found, *check(first.source, first.released, trial.guarantee, first.claim, first.rules)]
    if can_judge(first.source, trial.guarantee):
        verdict.judged = True
        verdict.found += _against_brute_force(first, trial)
    if trial.guarantee.time_limit is None and len(trial.rows) > 1:
        try:
            second = surface.release(trial.permuted())
        except (FoundError, RefusedError) as error:
            verdict.found.append(f"released, but not with permuted rows: {error}")
            return verdict
        verdict.found += differences(first, second, trial)
    return verdict


ONE_MASK = ("full_domain", "attribute")
"""Algorithms that show the whole table alike, so that they may find no release where there is one."""


def source_of(trial: Trial) -> Table:
    """The rows of a trial, read by plain DuckDB."""
    with duckdb.connect() as con:
        store(con, trial, "source")
        return read_pair(con, "source", "source", trial.folds)[0]


def _feasible(source: Table, trial: Trial) -> bool:
    """Whether there is a release: by the brute force, or for larger tables the one whose rows are all hidden."""
    guarantee = trial.guarantee
    if can_judge(source, guarantee):
        return optimum(source, guarantee, trial.keys) is not None
    masks = guarantee.permitted()
    if masks is not None and frozenset() not in masks:
        return False
    rows = {name: source.held(name) for name in guarantee.sensitive}
    keys = trial.keys
    whole = all(
        kept(
            each,
            rows[each.column],
            rows[each.column],
            in_order(rows[each.column], keys.get(each.column)) if each.form in METRICS else (),
        )
        for each in guarantee.requirements
    )
    people = len(source.looks) if guarantee.per is None else len({*source.held(guarantee.per)} - {None})
    return whole and people >= guarantee.k


METRICS = ("ordered", "numeric")


def _wrongly_refused(refusal: RefusedError, trial: Trial) -> list[str]:
    """Refusals that must not be: for columns without a role that identify nobody, or by the audit of a source that held still.

    Where a collation takes texts for one, the audit may refuse.
    """
    if refusal.kind == "UnlistedColumnError":
        return [*refused_wrongly(str(refusal), source_of(trial), trial.guarantee)]
    expected = any(trial.folds.values()) and "collation" in str(refusal)
    if refusal.kind == "AuditError" and not expected:
        return [f"refused by the audit: {refusal}"]
    return []


def _against_brute_force(outcome: Outcome, trial: Trial) -> list[str]:
    best = optimum(outcome.source, trial.guarantee, outcome.rules.keys)
    claim = outcome.claim
    if best is None:
        return ["released, though the brute force finds no release"]
    if claim is None:
        return []
    found = []
    # A text that a collation takes for another is not shown in its place: bounds are about the exact texts.
    folded = [name for name, fold in trial.folds.items() if fold and name not in trial.guarantee.sensitive]
    exact = optimum(outcome.source.exactly(folded), trial.guarantee, outcome.rules.keys) if folded else best
    if exact is None or claim.lower_bound > exact:
        found.append(f"the lower bound {claim.lower_bound} is above the optimum {exact}")
    if claim.optimal and (exact is None or claim.cost > exact):
        found.append(f"OPTIMAL at cost {claim.cost}, the optimum is {exact}")
    # Nor does it count as another value of a set or a range, while the brute force counts the texts there.
    summarized = {name for name, each in trial.guarantee.recodings.items() if each.kind in ("sets", "ranges")}
    if claim.cost < best and summarized.isdisjoint(folded):
        found.append(f"cost {claim.cost} is below the optimum {best}")
    return found


def differences(first: Outcome, second: Outcome, trial: Trial) -> list[str]:
    """What depends on the order of the source's rows."""
    found = []
    if first.claim is not None and second.claim is not None:
        for name in ("cost", "lower_bound", "optimal", "classes", "smallest_class"):
            before, after = getattr(first.claim, name), getattr(second.claim, name)
            if before != after:
                found.append(f"{name} is {before}, and {after} with permuted rows")
    shown = [
        Counter({look: len(rows) for look, rows in classes_of(each.released, trial.guarantee).items()})
        for each in (first, second)
    ]
    if shown[0] != shown[1]:
        found.append("other classes with permuted rows")
    elif Counter(first.released.looks) != Counter(second.released.looks):
        found.append("other rows with permuted rows, under the same secret")
    elif first.ordered and first.released.looks != second.released.looks:
        found.append("the rows of the release are in another order with permuted rows")
    return found
