"""The tables that a statement reads, as the database knows them, so that tables of the same people are recognized."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from kanon_sql.engines.cells.counting import Counting
from kanon_sql.engines.duckdb.names import name_parts
from kanon_sql.model.tabulation import FINGERPRINT, hierarchy_of, named_table
from kanon_sql.model.validation import same_name


def tables_read(counting: Counting, plan: str, objects: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return what a statement reads: tables with database and schema, files and calls, and the fingerprints of the tables.

    Parameters
    ----------
    counting : Counting
        The statement. Its names may be those of several tables; then it reads all of them.
    plan : str
        JSON of its plan, or of an error: plans of files and of Python tables cannot be written.
    objects : iterable of mapping
        Each table, view and macro that the statement sees: ``name``, ``schema``, ``database``, ``kind``, ``sql`` of a view or
        macro, and ``mark`` and ``contents`` of a table. Macros are only needed where there is no plan.

    Notes
    -----
    The plan knows what views, macros and search path mean. Without a plan, views and macros are followed by their names.
    """
    known = list(objects)
    macros = [each for each in known if each["kind"] == "macro"]
    stored = {identity(each): each for each in known if each["kind"] != "macro"}
    looked_up = [name for key in counting.tabulation.keys if (name := hierarchy_of(key)) is not None]
    levels = {same_name(part) for name in looked_up for part in name_parts(name)[-1:]}
    planned = {each for each in _scanned(json.loads(plan)) if not _gives_levels(each, levels, counting)}
    found, left = set(planned), list(counting.tabulation.reads)
    texts = [] if planned else [counting.tabulation.source, counting.where, *counting.keys, *counting.sums]
    while left or texts:
        if not left:
            left += _called(texts.pop(), macros, texts)
            continue
        name = left.pop()
        meant = [each for each, what in stored.items() if _means(name, what) and not (planned and _is_passing(what))]
        if not meant and not planned:
            found.add(name)
        for each in set(meant) - found:
            found.add(each)
            if not planned and stored[each]["kind"] == "view":
                texts.append(stored[each]["sql"])
                left += _names(stored[each]["sql"])
    fingerprints = [mark for each in found & stored.keys() for mark in _fingerprints(stored[each])]
    return tuple(sorted({*found, *fingerprints}))


def identity(stored: Mapping[str, Any]) -> str:
    """Return the name of a table or view with its database and schema, as `tables_read` does."""
    return named_table(same_name(stored[part]) for part in ("database", "schema", "name"))


def _means(name: str, stored: Mapping[str, Any]) -> bool:
    """Return whether a name may be that of a table or view; the part in front of a dot may be a schema or a database."""
    short = named_table(same_name(stored[part]) for part in ("database", "name"))
    return name == short or f".{identity(stored)}".endswith(f".{name}")


def _gives_levels(name: str, levels: set[str], counting: Counting) -> bool:
    """Return whether a scanned table is only read for the levels of a key: it has no people."""
    last = name.rpartition('"."')[2].strip('"')
    return last in levels and not any(f".{name}".endswith(f".{each}") for each in counting.tabulation.reads)


def _is_passing(stored: Mapping[str, Any]) -> bool:
    """Return whether a view is in no file: it ends with the session, and a plan knows what it reads."""
    return stored["kind"] == "view" and stored["path"] is None


def _fingerprints(stored: Mapping[str, Any]) -> Iterator[str]:
    if stored["kind"] == "table":
        yield fingerprint(stored["contents"])
        yield f"{FINGERPRINT}{stored['mark']}"


def fingerprint(contents: str) -> str:
    """Return the fingerprint of a table from its number of rows and the names of its columns, as DuckDB writes them."""
    return f"{FINGERPRINT}{sha256(contents.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _scanned(plan: Any) -> Iterator[str]:
    """Yield the tables that a plan scans."""
    if isinstance(plan, dict):
        if {"catalog", "schema", "table"} <= plan.keys():
            yield named_table(same_name(plan[part]) for part in ("catalog", "schema", "table"))
        for each in plan.values():
            yield from _scanned(each)
    elif isinstance(plan, list):
        for each in plan:
            yield from _scanned(each)


def _called(text: str, macros: list[Mapping[str, Any]], texts: list[str]) -> list[str]:
    """Return what the macros read that a text calls; each is taken once, and its text is looked at next."""
    if not macros or not text:
        return []
    from kanon_sql.clause.cells.sources import calls_in

    names = calls_in(text)
    called = [each for each in macros if same_name(each["name"]) in names]
    for each in called:
        macros.remove(each)
        texts.append(each["sql"])
    return [name for each in called for name in _names(each["sql"])]


def _names(sql: str) -> Sequence[str]:
    from kanon_sql.clause.cells.sources import names_in

    return list(names_in(sql))
