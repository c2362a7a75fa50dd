"""Labels that tell their own values, read as texts: ranges, intervals and sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

_NULL = " or NULL"


@dataclass(frozen=True, slots=True)
class Stretch:
    """The values from ``low`` to ``high``, as places in their order, and NULL with them if ``empty``."""

    low: int
    high: int
    empty: bool = False


def stretches(label: str, place: Mapping[str, int], *, empty: bool) -> Iterator[Stretch]:
    """Yield what ``[17, 23]``, ``17``, or either with ``or NULL`` behind it may stand for; a value may look like any of them.

    Parameters
    ----------
    label : str
        A text of the release.
    place : mapping of str to int
        The place of each value of the source in their order.
    empty : bool
        Whether a label may say that NULL is among the values.
    """
    yield from _closed(label, place, empty=False)
    if empty and label.endswith(_NULL):
        yield from _closed(label.removesuffix(_NULL), place, empty=True)


def _closed(text: str, place: Mapping[str, int], *, empty: bool) -> Iterator[Stretch]:
    if text in place:
        yield Stretch(place[text], place[text], empty)
    if not (text.startswith("[") and text.endswith("]")):
        return
    words = text[1:-1].split(", ")
    for cut in range(1, len(words)):
        low, high = place.get(", ".join(words[:cut])), place.get(", ".join(words[cut:]))
        if low is not None and high is not None and low < high:
            yield Stretch(low, high, empty)


def members(label: str, place: Mapping[str, Sequence[int]]) -> tuple[list[int], bool]:
    """Return the values that ``{flu, gout}`` may list, as their places, and whether there is only one way to read it.

    Parameters
    ----------
    label : str
        A text of the release.
    place : mapping
        The places of the values with each name: NULL has the name ``NULL``, and so may a text.

    Notes
    -----
    A value may have commas of its own. Every value is found that takes part in some way to read the whole list; O(w^2) for w
    words, O(w) where no value has a comma.
    """
    if not (label.startswith("{") and label.endswith("}")):
        return [], True
    words = label[1:-1].split(", ")
    longest = max((name.count(", ") + 1 for name in place), default=1)
    spans = [
        (start, end, name)
        for start in range(len(words))
        for end in range(start + 1, min(start + longest, len(words)) + 1)
        if (name := ", ".join(words[start:end])) in place
    ]
    reached, leading = {0}, {len(words)}
    for start, end, _ in spans:
        if start in reached:
            reached.add(end)
    for start, end, _ in reversed(spans):
        if end in leading:
            leading.add(start)
    used = [(start, name) for start, end, name in spans if start in reached and end in leading]
    once = len({start for start, _ in used}) == len(used) and all(len(place[name]) == 1 for _, name in used)
    return sorted({each for _, name in used for each in place[name]}), once
