"""What a certificate says of its table, of the tables that were solved together with it, and of those that it respects."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from kanon_sql.certificate.table_certificate import TableCertificate
from kanon_sql.errors import CertificateError, KanonError, raise_alone
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation, condition_key

Requested = tuple[Tabulation, Protection]
"""A table, and its requirement."""

_Read = TypeVar("_Read", Tabulation, Protection)


@dataclass(frozen=True, slots=True, kw_only=True)
class JointTables:
    """The tables that a certificate is about: one, or all that were solved together, and earlier tables of the same source."""

    tables: tuple[Requested, ...]  # each of them, the earlier ones last
    own: int  # which of them is the table of the certificate
    # The keys, sums and grouping sets of all. A filtered count has the condition as a key more, and so has each set of
    # a table with a condition if not all tables have it.
    whole: Tabulation
    earlier: int = 0  # how many of them were released before

    @property
    def solved(self) -> tuple[Requested, ...]:
        """Return the tables that were solved."""
        return self.tables[: len(self.tables) - self.earlier]

    @property
    def condition(self) -> str:
        """Return the condition that everybody in the base cells meets; empty if there is none."""
        condition = self.tables[0][0].condition
        return "" if condition_key(condition) in self.whole.keys else condition

    @property
    def largest(self) -> int:
        """Return how many of the largest contributions of a row the rules look at."""
        return max(protection.largest for _, protection in self.tables)

    def sets_of(self, place: int) -> dict[int, tuple[int, ...]]:
        """Return the grouping sets of a table: the number of each among all, and the keys of the table in it."""
        shape = self.tables[place][0]
        numbers = {chosen: number for number, chosen in enumerate(self.whole.sets)}
        sets = sets_in(self.whole.keys, shape)
        return {numbers[each]: chosen for each, chosen in zip(sets, shape.sets, strict=False)}


def joint_tables(claimed: TableCertificate) -> JointTables:
    """Return the tables of a certificate.

    Raises
    ------
    CertificateError
        When they are not described, or cannot have been solved together.
    """
    tabulation = _tabulation("tabulation", json.loads(claimed.tabulation))
    own = tabulation, _read("protection", Protection.from_dict, json.loads(claimed.protection))
    if claimed.together is None:
        return JointTables(tables=(own,), own=0, whole=_whole("tabulation", tabulation.keys, tabulation.sums, (own,)))
    data = json.loads(claimed.together)
    try:
        keys, sums, listed, earlier = (
            tuple(data["keys"]),
            tuple(data["sums"]),
            [(each["tabulation"], each["protection"]) for each in data["tables"]],
            data.get("earlier", 0),
        )
    except (KeyError, TypeError):
        raise_alone(CertificateError("together", "has missing or unknown fields"))
    tables = tuple(
        (_tabulation("together", shape), _read("together", Protection.from_dict, requested)) for shape, requested in listed
    )
    if type(earlier) is not int or not 0 <= earlier < len(tables) or own not in tables[: len(tables) - earlier]:
        raise CertificateError("together", "it does not list the certificate's table")
    costs = {requested.cost for _, requested in tables[: len(tables) - earlier]}
    if len(costs) > 1 or any((shape.source, requested.per) != (tabulation.source, own[1].per) for shape, requested in tables):
        raise CertificateError("together", "its tables differ in source, PER or COST")
    several = len({shape.condition for shape, _ in tables}) > 1
    texts = {key for shape, _ in tables for key in (*shape.keys, *(shape.conditions if several else ()))}
    for given, used, known in ((keys, "keys", texts), (sums, "sums", {text for shape, _ in tables for text in shape.sums})):
        if not all(isinstance(each, str) for each in given) or len({*given}) < len(given) or {*given} != known:
            raise CertificateError("together", f"its {used} differ from those of its tables")
    whole = _whole("together", keys, sums, tables)
    return JointTables(tables=tables, own=tables.index(own), whole=whole, earlier=earlier)


def sets_in(keys: Sequence[str], shape: Tabulation) -> list[tuple[int, ...]]:
    """Return the grouping sets of a table among keys, then for each condition of a count those that it makes."""
    outer = [keys.index(text) for text in shape.conditions if text in keys]
    return [tuple(sorted({*outer, *(keys.index(shape.keys[key]) for key in chosen)})) for chosen, _ in shape.groups]


def _whole(field: str, keys: tuple[str, ...], sums: tuple[str, ...], tables: Sequence[Requested]) -> Tabulation:
    """Return the table of all rows of some tables."""
    sets = dict.fromkeys(each for shape, _ in tables for each in sets_in(keys, shape))
    try:
        return replace(tables[0][0], keys=keys, sums=sums, sets=tuple(sets), items=())
    except KanonError as error:
        raise_alone(CertificateError(field, str(error)))


def _tabulation(field: str, data: Any) -> Tabulation:
    tabulation = _read(field, Tabulation.from_dict, data)
    keys, sums = range(len(tabulation.keys)), range(len(tabulation.sums))
    items = [(place, sums if each.kind == "sum" else keys) for each in tabulation.items for place in each.places]
    places = items + [(key, keys) for chosen in tabulation.sets for key in chosen]
    shows_nothing = any(each.kind in ("key", "sum") and not each.places for each in tabulation.items)
    if shows_nothing or any(type(place) is not int or place not in known for place, known in places):
        raise CertificateError(field, "uses a key or a sum that is not listed")
    return tabulation


def _read(field: str, read: Callable[[Mapping[str, Any]], _Read], data: Any) -> _Read:
    try:
        return read(data)
    except KanonError as error:
        raise_alone(CertificateError(field, str(error)))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise_alone(CertificateError(field, "has missing or unknown fields"))
