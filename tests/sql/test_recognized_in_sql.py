"""`profile` and Python recognize the same columns: by names, and by texts."""

from __future__ import annotations

from collections.abc import Iterator

import column_names
import duckdb
import pytest
import recognized_texts

from kanon_sql.recognition import Recognized, recognized, recognized_name

NAMES = [name for text in (*column_names.KINDS.values(), column_names.OTHERS) for name in column_names.split(text)]
SAID = ("date of birth", "postal code", "coordinate")
"""Kinds that `profile` gives as the reason."""

COLUMNS = recognized_texts.columns()


def batches() -> Iterator[list[str]]:
    """Yield all names in lists without two that differ in upper and lower case only."""
    waiting = NAMES
    while waiting:
        batch: dict[str, str] = {}
        later = []
        for name in waiting:
            if len(batch) < 100 and name.casefold() not in batch:
                batch[name.casefold()] = name
            else:
                later.append(name)
        yield [*batch.values()]
        waiting = later


def roles(con: duckdb.DuckDBPyConnection) -> dict[str, tuple[str, str]]:
    return {name: (role, reason) for name, *_, role, reason in con.execute("FROM profile('t')").fetchall()}


def expected(found: Recognized | None) -> tuple[str, str]:
    if found is None:
        return "kept", "nothing recognized"
    if found.kind == "date":
        return found.role, "date"
    return found.role, found.kind if found.kind in SAID and found.reason == "by its name" else found.reason


@pytest.mark.sweep
@pytest.mark.parametrize("names", [*batches()], ids=lambda names: names[0])
def test_names_say_the_same(con: duckdb.DuckDBPyConnection, names: list[str]) -> None:
    con.execute("CREATE TABLE t (" + ", ".join(f'"{name}" VARCHAR' for name in names) + ")")
    found = roles(con)
    assert {name: found[name] for name in names} == {name: expected(recognized_name(name)) for name in names}


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("name", ["c", "city", "diagnosis", "remarks", "phone", "born", "zip"])
def test_texts_say_the_same_under_any_name(con: duckdb.DuckDBPyConnection, name: str) -> None:
    lists = {
        f"{name}_{place}": texts * 2 for place, texts in enumerate(COLUMNS.values())
    }  # no text is alone, which is a reason, too
    con.execute("CREATE TABLE t AS SELECT " + ", ".join(f"unnest(${each}) AS {each}" for each in lists), lists)
    assert roles(con) == {each: expected(recognized(each, texts)) for each, texts in lists.items()}
