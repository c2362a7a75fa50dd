"""What a certificate says of its table, and of the tables that were solved together with it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from kanon_sql.certificate.table_certificate import TableCertificate
from kanon_sql.errors import CertificateError, KanonError, raise_alone
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation, is_condition

Asked = tuple[Tabulation, Protection]
"""A table, and what is asked of it."""

_Read = TypeVar("_Read", Tabulation, Protection)


@dataclass(frozen=True, slots=True, kw_only=True)
class JointTables:
    """The tables that a certificate is about: one, or all that were solved together.

    Attributes
    ----------
    tables : tuple of (Tabulation, Protection)
        Each of them.
    own : int
        Which of them is the table of the certificate.
    whole : Tabulation
        The keys, sums and grouping sets of all.
    """

    tables: tuple[Asked, ...]
    own: int
    whole: Tabulation

    @property
    def largest(self) -> int:
        """Return how many of the largest contributions of a row the rules look at."""
        return max(protection.largest for _, protection in self.tables)

    def sets_of(self, place: int) -> dict[int, tuple[int, ...]]:
        """Return the grouping sets of a table: the number of each among all, and the keys of the table in it."""
        shape = self.tables[place][0]
        numbers = {frozenset(self.whole.keys[key] for key in chosen): number for number, chosen in enumerate(self.whole.sets)}
        return {numbers[frozenset(shape.keys[key] for key in chosen)]: chosen for chosen in shape.sets}


def joint_tables(claimed: TableCertificate) -> JointTables:
    """Return the tables of a certificate.

    Raises
    ------
    CertificateError
        When they are not described, or cannot have been solved together.
    """
    tabulation = _tabulation("tabulation", json.loads(claimed.tabulation))
    own = tabulation, _read("protection", Protection.from_dict, json.loads(claimed.protection))
    _refuse_condition("tabulation", tabulation)
    if claimed.together is None:
        return JointTables(tables=(own,), own=0, whole=tabulation)
    data = json.loads(claimed.together)
    try:
        keys, sums, listed = (
            tuple(data["keys"]),
            tuple(data["sums"]),
            [(each["tabulation"], each["protection"]) for each in data["tables"]],
        )
    except (KeyError, TypeError):
        raise_alone(CertificateError("together", "has missing or unknown fields"))
    tables = tuple((_tabulation("together", shape), _read("together", Protection.from_dict, asked)) for shape, asked in listed)
    for shape, _ in tables:
        _refuse_condition("together", shape)
    if own not in tables:
        raise CertificateError("together", "it does not list the table of the certificate")
    if any((shape.source, asked.per, asked.cost) != (tabulation.source, own[1].per, own[1].cost) for shape, asked in tables):
        raise CertificateError("together", "its tables differ in source, PER or COST")
    for given, used in ((keys, "keys"), (sums, "sums")):
        texts = {text for shape, _ in tables for text in getattr(shape, used)}
        if not all(isinstance(each, str) for each in given) or len({*given}) < len(given) or {*given} != texts:
            raise CertificateError("together", f"its {used} are not those of its tables")
    places = {key: place for place, key in enumerate(keys)}
    sets = dict.fromkeys(
        tuple(sorted(places[shape.keys[key]] for key in chosen)) for shape, _ in tables for chosen in shape.sets
    )
    try:
        whole = replace(tabulation, keys=keys, sums=sums, sets=tuple(sets), items=())
    except KanonError as error:
        raise_alone(CertificateError("together", str(error)))
    return JointTables(tables=tables, own=tables.index(own), whole=whole)


def _refuse_condition(field: str, tabulation: Tabulation) -> None:
    if tabulation.condition or any(map(is_condition, tabulation.keys)):
        raise CertificateError(field, "it counts people who meet a condition, so they cannot be counted again")


def _tabulation(field: str, data: Any) -> Tabulation:
    tabulation = _read(field, Tabulation.from_dict, data)
    keys, sums = range(len(tabulation.keys)), range(len(tabulation.sums))
    items = [(place, sums if each.kind == "sum" else keys) for each in tabulation.items for place in each.places]
    places = items + [(key, keys) for chosen in tabulation.sets for key in chosen]
    shows_nothing = any(each.kind in ("key", "sum") and not each.places for each in tabulation.items)
    if shows_nothing or any(type(place) is not int or place not in known for place, known in places):
        raise CertificateError(field, "it names a key or a sum that it does not list")
    return tabulation


def _read(field: str, read: Callable[[Mapping[str, Any]], _Read], data: Any) -> _Read:
    try:
        return read(data)
    except KanonError as error:
        raise_alone(CertificateError(field, str(error)))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise_alone(CertificateError(field, "has missing or unknown fields"))
