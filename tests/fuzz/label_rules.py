"""Whether a label covers a value, told from the text of the label alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from typing import Any

from fuzz.guarantee import Recoding

Key = Callable[[str], Any]


def numbered(text: str) -> tuple[int, Fraction] | None:
    """A number to be compared, also infinite ones and nan, which comes last as in SQL; None where the text is none."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    if value.is_nan():
        return 2, Fraction(0)
    if value.is_infinite():
        return (1 if value > 0 else -1), Fraction(0)
    return 0, Fraction(value)


def order_of(texts: Sequence[str], kind: str) -> Key:
    """What values are compared by: numbers where the type is one or all texts are such; else the texts themselves."""
    if kind == "VARCHAR" or "TIME" in kind or kind == "DATE":
        if kind == "VARCHAR" and texts and all(numbered(text) is not None for text in texts):
            return numbered
        return lambda text: text
    return numbered if all(numbered(text) is not None for text in texts) else lambda text: text


def covers(recoding: Recoding, label: str, value: str | None, domain: tuple[str, ...], kind: str) -> bool:
    """Whether a label may stand for a value.

    Parameters
    ----------
    recoding : Recoding
        That of the column.
    label : str
        What the release shows.
    value : str or None
        What the source has, as text.
    domain : tuple of str
        All values of the column of the source, but NULL.
    kind : str
        The type of the column.
    """
    if recoding.kind in ("ranges", "sets"):
        return any(value is None if each is None else each == value for each in _summary(recoding.kind, label, domain, kind))
    if recoding.kind == "means":
        return domain != () and min(map(float, domain)) <= float(label) <= max(map(float, domain))  # a mean is rounded
    if recoding.kind == "medians":
        return label in domain
    if recoding.kind == "bins":  # empty cells are labels like any other
        return label.startswith("bin ")
    if value is None:
        return False
    match recoding.kind:
        case "digits":
            return _digits(recoding, label, value, domain)
        case "intervals" | "cuts" | "coded":
            ended = beyond(recoding, value)
            if ended:
                return label == ended
            return (label == value and not recoding.only) or _half_open(recoding, label, value)
        case "periods":
            if (ended := beyond(recoding, value)) is not None:
                return label == ended
            return (label == value and not recoding.only) or label in {period(value, str(step)) for step in recoding.steps}
        case "hierarchy":
            above = (value, *recoding.tree.get(value, ()))
            return label in (above[int(step)] for step in recoding.steps or range(len(above)) if int(step) < len(above))
        case "chosen" | "rectangles":
            return value in _closed(label, domain, kind)
    raise AssertionError(f"an unknown recoding {recoding.kind}")


def _digits(recoding: Recoding, label: str, value: str, domain: tuple[str, ...]) -> bool:
    longest = max(map(len, domain))
    chosen = [int(step) for step in recoding.steps] or list(range(1, longest))
    if label == value and (not recoding.steps or max(chosen) >= longest):
        return True
    return any(count < longest and label == value[:count] + "*" * (len(value) - count) for count in chosen)


def beyond(recoding: Recoding, value: str) -> str | None:
    """What a number, or the year of a date, shows at an end of a recoding or beyond it."""
    own = numbered(value[:4] if recoding.kind == "periods" else value)
    if own is not None and recoding.top is not None and own >= (0, recoding.top):
        return f"{Decimal(recoding.top.numerator) / recoding.top.denominator}+"
    if own is not None and recoding.bottom is not None and own <= (0, recoding.bottom):
        return f"<={Decimal(recoding.bottom.numerator) / recoding.bottom.denominator}"
    return None


def _half_open(recoding: Recoding, label: str, value: str) -> bool:
    """Whether a number is in the interval; no interval goes over an end, or is wider than the steps permit."""
    own = numbered(value)
    if own is None or recoding.kind == "coded":
        return False
    steps = [Fraction(step) for step in recoding.steps]
    if recoding.kind == "cuts" and label == f"<{Decimal(steps[0].numerator) / steps[0].denominator}":
        return recoding.bottom is None and own < (0, steps[0])
    if recoding.kind == "cuts" and label == f"{Decimal(steps[-1].numerator) / steps[-1].denominator}+":
        return recoding.top is None and own >= (0, steps[-1])
    if label[:1] not in ("[", "(") or not label.endswith(")"):
        return False
    low, _, high = label[1:-1].partition(", ")
    ends = numbered(low), numbered(high)
    if (
        ends[0] is None
        or ends[1] is None
        or (label[0] == "(") != (recoding.bottom is not None and ends[0][1] == recoding.bottom)
    ):
        return False
    if recoding.kind == "cuts":
        inside = any(ends[0][1] < cut < ends[1][1] for cut in steps)
        whole = {ends[0][1], ends[1][1]} <= {*steps, recoding.top, recoding.bottom}
    else:
        inside, whole = False, ends[1][1] - ends[0][1] <= max(steps)
    return whole and not inside and ends[0] <= own < ends[1]


def period(value: str, step: str) -> str | None:
    try:
        day = date.fromisoformat(value[:10])
    except ValueError:
        return None
    return {
        "day": f"{day.year:04}-{day.month:02}-{day.day:02}",
        "month": f"{day.year:04}-{day.month:02}",
        "quarter": f"{day.year:04}-Q{(day.month + 2) // 3}",
        "year": f"{day.year:04}",
        "decade": f"{day.year // 10 * 10:04}s",
    }[step]


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _alone(text: str) -> str:
    """How a value is written that stands alone."""
    return _quoted(text) if text[:1] in ("[", "{", '"') or text.endswith(" or NULL") else text


def _within(value: str | None) -> str:
    """How a value is written between brackets."""
    if value is None:
        return "NULL"
    return _quoted(value) if ", " in value or value.startswith('"') or value == "NULL" else value


@lru_cache(maxsize=4096)
def _closed(label: str, domain: tuple[str, ...], kind: str) -> frozenset[str]:
    """The values of the domain that a value alone or ``[a, b]`` covers: all pairs of ends are written down."""
    key = order_of(domain, kind)
    found = {value for value in domain if _alone(value) == label}
    if not (label.startswith("[") and label.endswith("]")):
        return frozenset(found)
    for low in domain:
        if label.startswith((f"[{_within(low)}, ", f"[{_quoted(low)}, ")):
            for high in domain:
                plain = f"[{_within(low)}, {_within(high)}]"
                if label == (f"[{_quoted(low)}, {_quoted(high)}]" if plain in domain else plain):
                    found |= {value for value in domain if key(low) <= key(value) <= key(high)}
    return frozenset(found)


@lru_cache(maxsize=4096)
def _summary(form: str, label: str, domain: tuple[str, ...], kind: str) -> frozenset[str | None]:
    """The values, NULL among them, that a range or a set stands for."""
    if form == "ranges":
        rest = label.removesuffix(" or NULL")
        return frozenset(_closed(rest, domain, kind)) | (frozenset() if rest == label else {None})
    found: set[str | None] = {value for value in domain if _alone(value) == label}
    if label.startswith("{") and label.endswith("}"):
        found |= _listed(label[1:-1], domain)
    return frozenset(found)


def _listed(text: str, domain: tuple[str, ...]) -> set[str | None]:
    """All values that a list names, written as they must be; all in quotes where the list is a value itself otherwise."""
    names: list[tuple[str | None, str, str]] = [(value, _within(value), _quoted(value)) for value in domain]
    names.append((None, "NULL", "NULL"))
    found: set[str | None] = set()

    def read(rest: str, taken: tuple[str | None, ...], form: int) -> None:
        for name in names:
            if name[0] in taken:
                continue
            if rest == name[form]:
                plain = ", ".join(_within(value) for value in (*taken, name[0]))
                if ("{" + plain + "}" in domain) == (form == 2):
                    found.update((*taken, name[0]))
            elif rest.startswith(f"{name[form]}, "):
                read(rest[len(name[form]) + 2 :], (*taken, name[0]), form)

    read(text, (), 1)
    read(text, (), 2)
    return found
