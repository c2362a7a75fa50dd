"""The check of a release: source rows, released rows and the guarantee in, a list of what is wrong out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from fuzz import averages
from fuzz.averages import typed
from fuzz.guarantee import Guarantee
from fuzz.label_rules import covers
from fuzz.requirement_rules import in_order, kept
from fuzz.row_assignment import unmatched
from fuzz.table import Look, Table, quoted
from fuzz.unlisted_rules import released_wrongly, shared, singled_out


@dataclass(frozen=True, kw_only=True)
class Claim:
    """What a certificate says; ``warnings`` are None where the policy names what it keeps in a way of its own."""

    cost: Fraction
    lower_bound: Fraction
    optimal: bool
    rows: int
    classes: int | None
    smallest_class: int | None
    unchanged: tuple[str, ...] | None = None
    warnings: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What a surface changes: which types the checker may ask for.

    ``typed`` is False for files without types. ``keys`` order the values of sensitive columns.
    """

    typed: bool = True
    keys: Mapping[str, Callable[[str], object]] | None = None


def check(
    source: Table, released: Table, guarantee: Guarantee, claim: Claim | None = None, rules: Rules | None = None
) -> list[str]:
    """What is wrong with a release, each in a line; empty where it keeps its guarantee."""
    rules = rules or Rules()
    expected = [name for name in source.names if name != guarantee.per and name not in guarantee.dropped]
    if list(released.names) != expected:
        return [f"the columns are {released.names}, not {expected}"]
    if len(released.looks) != len(source.looks):
        return [f"{len(released.looks)} rows of {len(source.looks)}"]
    if not source.looks:
        return []
    found = [*_types(source, released, guarantee, rules), *_classes(source, released, guarantee, rules)]
    found += _rows(source, released, guarantee)
    found += averages.check(source, released, guarantee)
    if claim is not None:
        found += _claims(source, released, guarantee, claim)
    return found


def _types(source: Table, released: Table, guarantee: Guarantee, rules: Rules) -> Iterator[str]:
    if not rules.typed:
        return
    own = dict(zip(source.names, source.types, strict=True))
    for name, kind in zip(released.names, released.types, strict=True):
        listed = own[name].startswith("ENUM")
        texts = name in guarantee.qi and (guarantee.suppress is not None or name in guarantee.recodings or listed)
        wanted = typed(guarantee, name, own[name]) or ("VARCHAR" if texts else own[name])
        if kind != wanted:
            yield f"a column of {own[name]} became {kind}, not {wanted}"


def classes_of(released: Table, guarantee: Guarantee) -> dict[tuple[Look, ...], list[int]]:
    """The rows of each class: those that show the same, byte for byte."""
    places = [released.column(name) for name in guarantee.qi]
    found: dict[tuple[Look, ...], list[int]] = defaultdict(list)
    for number, row in enumerate(released.looks):
        found[tuple(row[place] for place in places)].append(number)
    return found


def _classes(source: Table, released: Table, guarantee: Guarantee, rules: Rules) -> Iterator[str]:
    classes = classes_of(released, guarantee)
    small = [len(rows) for rows in classes.values() if len(rows) < guarantee.k]
    if small:
        yield f"{len(small)} classes have fewer than {guarantee.k} rows, the smallest {min(small)}"
    for requirement in guarantee.requirements:
        held, whole = released.held(requirement.column), source.held(requirement.column)
        key = (rules.keys or {}).get(requirement.column)
        order = in_order(whole, key) if requirement.form in ("ordered", "numeric") else ()
        broken = sum(not kept(requirement, [held[row] for row in rows], whole, order) for rows in classes.values())
        if broken:
            yield f"{broken} classes break {requirement}"


def _rows(source: Table, released: Table, guarantee: Guarantee) -> Iterator[str]:
    """Every released row needs a source row of its own: equal outside the guarantee, and shown as a mask permits."""
    outside = [name for name in released.names if name not in guarantee.qi]
    groups: list[dict[tuple[Look, ...], list[int]]] = []
    for table in (released, source):
        places = [table.column(name) for name in outside]
        group: dict[tuple[Look, ...], list[int]] = defaultdict(list)
        for number, row in enumerate(table.looks):
            group[tuple(row[place] for place in places)].append(number)
        groups.append(group)
    if Counter({key: len(rows) for key, rows in groups[0].items()}) != Counter(
        {key: len(rows) for key, rows in groups[1].items()}
    ):
        yield "columns outside the guarantee are changed"
        return
    fits = Fits(source, released, guarantee)
    people = guarantee.per is not None
    left = sum(
        unmatched([fits.shown(row) for row in rows], [fits.origin(row) for row in groups[1][key]], fits)
        for key, rows in groups[0].items()
    )
    if left:
        yield f"{left} released rows are those of no source row{' (people)' if people else ''}"


class Fits:
    """Whether a released row may be a source row, under some permitted mask."""

    def __init__(self, source: Table, released: Table, guarantee: Guarantee) -> None:
        self.guarantee = guarantee
        self.places = [(released.column(name), source.column(name)) for name in guarantee.qi]
        self.tables = released, source
        self.kinds = {name: source.types[source.column(name)] for name in guarantee.qi}
        self.twins = {name: _twins(source, name) for name in guarantee.recodings}
        self.domains = {
            name: tuple(sorted({each for texts in twins.values() for each in texts})) for name, twins in self.twins.items()
        }
        self.known: dict[tuple[str, Look, Look, Look, Look], tuple[bool, bool]] = {}

    def shown(self, row: int) -> tuple[tuple[Look, Look], ...]:
        """What a released row shows: the look and the value of each quasi-identifier."""
        table = self.tables[0]
        return tuple((table.looks[row][place], table.values[row][place]) for place, _ in self.places)

    def origin(self, row: int) -> tuple[tuple[Look, Look], ...]:
        """The same of a source row."""
        table = self.tables[1]
        return tuple((table.looks[row][place], table.values[row][place]) for _, place in self.places)

    def __call__(self, shown: tuple[tuple[Look, Look], ...], origin: tuple[tuple[Look, Look], ...]) -> bool:
        may_show, may_hide = set(), set()
        for name, (look, value), (own_look, own_value) in zip(self.guarantee.qi, shown, origin, strict=True):
            key = (name, look, value, own_look, own_value)
            if key not in self.known:
                self.known[key] = self._cell(*key)
            show, hide = self.known[key]
            if show:
                may_show.add(name)
            if hide:
                may_hide.add(name)
        masks = self.guarantee.permitted()
        if masks is None:
            return all(may_show.issuperset(unit) or may_hide.issuperset(unit) for unit in self.guarantee.units())
        return any(mask <= may_show and {*self.guarantee.qi} - mask <= may_hide for mask in masks)

    def _cell(self, name: str, look: Look, value: Look, own_look: Look, own_value: Look) -> tuple[bool, bool]:
        """Whether the cell may be a shown one, and whether it may be a hidden one."""
        hide = look == self.guarantee.suppress
        recoding = self.guarantee.recodings.get(name)
        if recoding is None:
            return value == own_value, hide
        if look is None:
            return own_look is None, hide
        own = self.twins[name].get(own_value, {None}) if own_value is not None else {None}
        return any(covers(recoding, look, each, self.domains[name], self.kinds[name]) for each in own), hide


def _twins(source: Table, name: str) -> dict[Look, set[str]]:
    """The texts of each value: those in the source, and those with 0.0 for -0.0, which DuckDB makes of lists."""
    found: dict[Look, set[str]] = defaultdict(set)
    for look, value in zip(source.seen(name), source.held(name), strict=True):
        if look is not None:
            found[value] |= {look, look if source.types[source.column(name)] == "VARCHAR" else look.replace("-0.0", "0.0")}
    return found


def _claims(source: Table, released: Table, guarantee: Guarantee, claim: Claim) -> Iterator[str]:
    classes = classes_of(released, guarantee)
    if claim.rows != len(source.looks):
        yield f"the certificate counts {claim.rows} rows"
    if claim.classes != len(classes) or claim.smallest_class != min(map(len, classes.values())):
        yield f"the certificate counts {claim.classes} classes, the smallest {claim.smallest_class}; there are {len(classes)}"
    if claim.lower_bound > claim.cost:
        yield f"the lower bound {claim.lower_bound} is above the cost {claim.cost}"
    if claim.optimal != (claim.lower_bound == claim.cost):
        yield f"OPTIMAL is {claim.optimal} with the bound {claim.lower_bound} and the cost {claim.cost}"
    yield from _roles(source, released, guarantee, claim)
    low, high = cost_between(source, released, guarantee)
    if not low <= claim.cost <= high:
        yield f"the certificate says cost {claim.cost}; the table tells {low} to {high}"


def _roles(source: Table, released: Table, guarantee: Guarantee, claim: Claim) -> Iterator[str]:
    """What the certificate says of the columns that nothing is guaranteed about."""
    left = tuple(name for name in released.names if name not in guarantee.qi and name not in guarantee.sensitive)
    if claim.unchanged is not None and claim.unchanged != left:
        yield f"the certificate names {claim.unchanged} as unchanged, not {left}"
    measured = (*left, *guarantee.sensitive)
    for name in measured if claim.warnings is not None else ():
        told = any(
            each.startswith(f"{form} is released unchanged and singles out")
            for each in claim.warnings
            for form in (name, quoted(name))
        )
        cells = source.seen(name), source.held(name)  # texts of equal values may differ
        people = None if guarantee.per is None else source.seen(guarantee.per)
        fewest = shared(guarantee.k, people, len(source.looks))
        shares = [singled_out(each, people, fewest) * 100 >= len(each) for each in cells]
        if told not in shares:
            yield f"the certificate is {'' if told else 'not '}warned of a column that singles out rows"
    if claim.warnings is not None:
        yield from released_wrongly(source, guarantee)


def cost_between(source: Table, released: Table, guarantee: Guarantee) -> tuple[Fraction, Fraction]:
    """The cost told by the table: exact, but for cells that looked hidden before, and for labels, whose loss lies between."""
    low = high = Fraction(0)
    for name in guarantee.qi:
        weight = guarantee.weight(name)
        hidden = sum(look == guarantee.suppress for look in released.seen(name))
        alike = {value for look, value in zip(source.seen(name), source.held(name), strict=True) if look == guarantee.suppress}
        before = sum(value in alike for value in source.held(name))  # one text stands for those that a collation takes for one
        if guarantee.suppress is not None and name in guarantee.recodings:
            before = hidden  # a label may be the text of suppression
        coarse = 0
        if name in guarantee.recodings:
            coarse = len(released.looks) - hidden
        low += weight * max(hidden - before, 0)
        high += weight * (hidden + coarse)
    return low, high
