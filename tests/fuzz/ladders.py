"""What a column can show at each level and what that loses, worked out anew from the texts of a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from fuzz.guarantee import Recoding
from fuzz.label_rules import beyond, numbered, period
from fuzz.table import Look

GRAIN = Fraction(1, 1000)


@dataclass(frozen=True)
class Rung:
    """A level: what each value shows, and the share of a suppressed cell that it costs."""

    label: dict[Look, Look]
    loss: Fraction


def ladder(recoding: Recoding | None, held: Sequence[Look], *, every: bool = False) -> list[Rung]:
    """The levels of a column that may be shown, finest first; ``held`` are the texts of all rows.

    With ``every``, also those that tell as much of these rows as finer ones: others may share their labels.
    """
    values = sorted({*held}, key=lambda text: (text is None, text or ""))
    itself: dict[Look, Look] = {value: value for value in values}
    if recoding is None:
        return [Rung(itself, Fraction(0))]
    levels, exact = _levels(recoding, values)
    rungs, losses, shown = [itself], [Fraction(0)], [exact]
    for number, level in enumerate(levels):
        if not every and len({*level.values()}) == len({*rungs[-1].values()}):
            if shown[-1]:
                continue
            if not recoding.loss:
                shown[-1] = True  # labels that tell as much as values that may not be shown
                continue
        rungs.append(level)
        own = recoding.loss[number] if recoding.loss else max(_share(level, held), losses[-1] + GRAIN)
        losses.append(own)
        shown.append(True)
    if not recoding.loss:
        for above in range(1, len(losses)):
            losses[-above] = min(losses[-above], 1 - above * GRAIN)
    return [Rung(rung, loss) for rung, loss, may in zip(rungs, losses, shown, strict=True) if may]


def _levels(recoding: Recoding, values: Sequence[Look]) -> tuple[list[dict[Look, Look]], bool]:
    known = [value for value in values if value is not None]
    empty: dict[Look, Look] = {None: None} if None in values else {}
    match recoding.kind:
        case "digits":
            longest = max(map(len, known), default=0)
            asked = sorted({int(step) for step in recoding.steps}, reverse=True)
            counts = [count for count in asked if count < longest] if asked else list(range(longest - 1, 0, -1))
            stars = [{value: value[:count] + "*" * (len(value) - count) for value in known} for count in counts]
            return [{**empty, **each} for each in stars], not asked or asked[0] >= longest
        case "periods":
            return _with_ends(
                recoding, known, empty, [{value: _period(value, str(step)) for value in known} for step in recoding.steps]
            )
        case "intervals":
            widths = [Fraction(step) for step in recoding.steps]
            within = [{value: _interval(value, widths[place:]) for value in known} for place in range(len(widths))]
            return _with_ends(recoding, known, empty, within)
        case "cuts":
            cuts = [Fraction(step) for step in recoding.steps]
            return _with_ends(
                recoding, known, empty, [{value: str(sum(_number(value) >= cut for cut in cuts)) for value in known}]
            )
        case "coded":
            return _with_ends(recoding, known, empty, [])
        case "hierarchy":
            height = max((len(each) for each in recoding.tree.values()), default=0)
            permitted = [int(step) for step in recoding.steps] or list(range(height + 1))
            labels = [{value: recoding.tree[value][level - 1] for value in known} for level in permitted if level]
            return [{**empty, **each} for each in labels], 0 in permitted
    raise AssertionError(f"no ladder for {recoding.kind}")


def _with_ends(
    recoding: Recoding, known: Sequence[str], empty: dict[Look, Look], within: list[dict[str, str]]
) -> tuple[list[dict[Look, Look]], bool]:
    """Put all numbers beyond an end together at every level; with an end, the numbers between are a level of their own."""
    if not recoding.ended:
        return [{**empty, **each} for each in within], not recoding.only
    levels = within if recoding.only else [{value: value for value in known}, *within]
    return [{**empty, **{value: beyond(recoding, value) or each[value] for value in known}} for each in levels], False


def _period(value: str, step: str) -> str:
    found = period(value, step)
    assert found is not None
    return found


def _number(value: str) -> Fraction:
    read = numbered(value)
    assert read is not None
    return read[1]


def _interval(value: str, widths: Sequence[Fraction]) -> str:
    number = _number(value)
    low = max(number // width * width for width in widths)
    high = min(number // width * width + width for width in widths)
    return f"[{low}, {high})"


def _share(level: dict[Look, Look], held: Sequence[Look]) -> Fraction:
    """The share of the other values that the label of a row also stands for, on the average row, as a multiple of `GRAIN`."""
    if len(level) == 1:
        return Fraction(0)
    covered = {value: sum(other == label for other in level.values()) - 1 for value, label in level.items()}
    exact = Fraction(sum(covered[value] for value in held), len(held) * (len(level) - 1))
    return round(exact / GRAIN) * GRAIN
