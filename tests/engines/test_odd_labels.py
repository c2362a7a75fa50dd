"""Every released label covers its value, whatever the value: read by a parser of this test against the source."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from decimal import Decimal
from importlib import import_module
from typing import Any

import pytest

import kanon_sql
from kanon_sql.engines.duckdb.texts import text
from kanon_sql.errors import AuditError

TEXTS = ["Smith, John", "[a, b]", "[a", "a]", "{a}", "{a, b}", '"q"', '"', "x or NULL", "NULL", "it's", "a\nb",
         "a\x00b", "a\u200b",
         "*", "98*", "", ",", ", ", "a", "b", "bin 01", "bin 1", "region 3", '["a", "b"]', "\\", "é", None]  # fmt: skip
DOMAINS = {
    "DOUBLE": ["1e308", "5e-324", "-5e-324", "0.0", "inf", "-inf", "nan", "2.0", "10.0", "1e30", "-1e308", "0.1", None],
    "FLOAT": ["3.4e38", "1e-45", "0.1", "inf", "-inf", "nan", "-7", "16777216", None],
    "HUGEINT": [str(2**127 - 1), str(-(2**127)), str(2**127 - 2), "1", "2", "10", None],
    "UHUGEINT": [str(2**128 - 1), str(2**128 - 2), "0", "5", "10"],
    "DECIMAL(38, 0)": ["9" * 38, "9" * 37 + "8", "-" + "9" * 38, "0", "10", None],
    "DECIMAL(38, 38)": ["0." + "9" * 38, "0." + "9" * 37 + "8", "-0.5", "0", None],
    "BIGNUM": ["9" * 600, "9" * 599 + "8", "-" + "9" * 600, "10", "9"],
    "VARCHAR": TEXTS,
}


def number(cell: str) -> tuple[int, Decimal]:
    """The place of a number in the order of DuckDB."""
    value = float(cell) if cell.strip("-") in ("inf", "nan") else Decimal(cell)
    if isinstance(value, Decimal):
        return 0, value
    return (2 if math.isnan(value) else int(math.copysign(1, value))), Decimal(0)


def split(inside: str) -> list[str | None]:
    """The words of a list, without their quotes; NULL is None where it has none."""
    found: list[str | None] = []
    place = 0
    while True:
        if inside[place : place + 1] == '"':
            end = place + 1
            while inside[end] != '"' or inside[end : end + 2] == '""':
                end += 2 if inside[end] == '"' else 1
            found.append(inside[place + 1 : end].replace('""', '"'))
            end += 1
        else:
            end = inside.find(", ", place)
            end = len(inside) if end < 0 else end
            word = inside[place:end]
            found.append(None if word == "NULL" else word)
        if end == len(inside):
            return found
        assert inside[end : end + 2] == ", "
        place = end + 2


def covers(label: str | None, value: str | None, recoding: str, numbers: bool) -> bool:
    if label is None:
        return True
    if recoding == "BINS":
        return re.fullmatch("bin [0-9]+", label) is not None
    if recoding == "DIGITS":
        return value is not None and len(label) == len(value) and value.startswith(label.rstrip("*"))
    if label.startswith("{"):
        return value in split(label[1:-1])
    base = label.removesuffix(" or NULL")
    if value is None:
        return base != label
    if not base.startswith("["):
        (word,) = split(base) if base.startswith('"') else (base,)
        return word == value or (numbers and number(str(word)) == number(value))
    low, high = split(base[1:-1])
    if numbers:
        return number(str(low)) <= number(value) <= number(str(high))
    return str(low).encode() <= value.encode() <= str(high).encode()


def fill(con: Any, kind: str, seed: int) -> None:
    draw = random.Random(seed)
    values = draw.choices(DOMAINS[kind], k=draw.randint(6, 40))
    texts = "SELECT unnest($1::INTEGER[]) AS id, unnest($2::VARCHAR[]) AS v"
    con.execute(f"CREATE OR REPLACE TABLE p AS SELECT id, v::{kind} AS v FROM ({texts})", [list(range(len(values))), values])


@pytest.fixture(scope="module")
def con():
    with kanon_sql.connect() as con:
        yield con


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("recoding", ["RANGES", "SETS", "INTERVALS", "BINS", "DIGITS"])
@pytest.mark.parametrize("kind", DOMAINS)
def test_labels_cover_their_values(con, kind: str, recoding: str) -> None:
    for seed, k in ((1, 2), (2, 3), (3, 5)):
        fill(con, kind, seed)
        query = f"FROM p ANONYMIZE BY v IN {recoding} KEEP id GUARANTEE k >= {k}"
        con.execute(f"CREATE OR REPLACE TABLE r AS {query}")
        cost = con.session.releases[-1].cost
        pairs = con.execute("SELECT r.v, CAST(p.v AS VARCHAR) FROM r JOIN p USING (id)").fetchall()
        known = [value for _, value in pairs if value is not None]
        numbers = kind != "VARCHAR"
        assert len(pairs) == con.execute("SELECT count(*) FROM p").fetchall()[0][0]
        assert all(covers(label, value, recoding, numbers) for label, value in pairs)
        assert min(Counter(label for label, _ in pairs).values()) >= k
        if recoding == "BINS":
            assert not {label for label, _ in pairs} & set(known), "a bin is called like a value"
        if recoding == "INTERVALS":
            for _, value in pairs:
                assert len({label for label, _ in pairs if label is not None and covers(label, value, recoding, numbers)}) <= 1
        con.execute("CREATE OR REPLACE TABLE p AS FROM p ORDER BY hash(id)")
        again = con.execute(f"SELECT v FROM ({query})").fetchall()
        assert Counter(again) == Counter((label,) for label, _ in pairs)
        assert con.session.releases[-1].cost == cost


@pytest.mark.sweep
@pytest.mark.parametrize(
    "label", ["[1e+308, 2.0]", "[3.0, nan]", "[-inf, 1.5]", "[2.0, 1e+308", '["2.0", "x"]', "[2.0, 2.0)", "3.0", "{2.0}"]
)
def test_a_label_that_does_not_cover_a_double_is_refused(con, monkeypatch, label: str) -> None:
    con.execute("CREATE OR REPLACE TABLE p AS SELECT unnest(['1e308', '2.0', 'inf', 'nan', '2.0', '1e308'])::DOUBLE AS v")
    monkeypatch.setattr("kanon_sql.engines.solving.ranges", lambda labels, number, code: [label] * (int(number.max()) + 1))
    with pytest.raises(AuditError, match="labels of the column v do not cover"):
        con.execute("FROM p ANONYMIZE BY v IN RANGES GUARANTEE k >= 2")


@pytest.mark.sweep
@pytest.mark.parametrize(
    "label", ['{"a, b, c"}', '{"x, a, y", b}', "{a, b", '{"a, b}', "{b}", "a, b", "[a, b]", '"a" b', "{a; b}", '{"a", "b"c}']
)
def test_a_label_that_lists_no_such_text_is_refused(con, monkeypatch, label: str) -> None:
    con.execute("CREATE OR REPLACE TABLE p AS SELECT unnest(['a', 'b', 'a', 'b', 'c, d', 'c, d']) AS v")
    for recoding, made in (("SETS", "sets"), ("RANGES", "ranges")):
        if (recoding, label) == ("RANGES", "[a, b]"):
            continue
        with monkeypatch.context() as patched:
            patched.setattr(f"kanon_sql.engines.solving.{made}", lambda labels, number, code: [label] * (int(number.max()) + 1))
            with pytest.raises(AuditError, match="labels of the column v do not cover"):
                con.execute(f"FROM p ANONYMIZE BY v IN {recoding} GUARANTEE k >= 2")


def test_the_order_of_texts_is_none_of_doubles(con, monkeypatch) -> None:
    """As texts, each of these lies between the ends; as numbers, none does but the ends themselves."""
    cells = ["1e308", "2.0", "1e30", "1e31", "1e31", "1e31"]
    con.execute("CREATE OR REPLACE TABLE p AS SELECT unnest($1)::DOUBLE AS v, unnest([1, 1, 1, 2, 2, 2]) AS w", [cells])
    monkeypatch.setattr(
        "kanon_sql.engines.solving.ranges", lambda labels, number, code: ["[1e+30, 2.0]"] * (int(number.max()) + 1)
    )
    with pytest.raises(AuditError, match="labels of the column v do not cover"):
        con.execute("FROM p ANONYMIZE BY v IN RANGES, w GUARANTEE k >= 3")


def test_chosen_intervals_with_a_value_in_common_are_refused(con, monkeypatch) -> None:
    con.execute("CREATE OR REPLACE TABLE p AS SELECT i::DOUBLE AS v FROM range(20) t(i)")

    def overlapping(recoding: Any, texts: Any, *rest: Any) -> tuple[list[str], str]:
        return ["[0.0, 10.0]" if float(each) < 10 else "[9.5, 19.0]" for each in texts], ""

    monkeypatch.setattr(import_module("kanon_sql.generalize.ladders"), "grouped", overlapping)
    with pytest.raises(AuditError, match="labels of the column v do not cover"):
        con.execute("FROM p ANONYMIZE BY v IN INTERVALS GUARANTEE k >= 5")


def test_texts_that_are_not_shown_say_whether_a_column_has_numbers(con) -> None:
    """The range of the shown texts 10 and 9 is that of texts, as another value of the column is no number."""
    con.execute(
        "CREATE OR REPLACE TABLE p AS SELECT unnest(['10', '9', '10', '9', 'x', 'x']) AS v, unnest([1, 1, 1, 1, 2, 3]) AS w"
    )
    for k in (2, 3):
        con.execute(f"FROM p ANONYMIZE BY v IN RANGES, w GUARANTEE k >= {k}").fetchall()


@pytest.mark.everything
def test_the_order_of_numbers_in_sql_is_exact(con) -> None:
    """The audit compares numbers by a key of their text: for any two, as Python compares them exactly."""
    draw = random.Random(7)
    cells = [
        "0",
        "-0.0",
        "1",
        "1.0",
        "1e0",
        "10e-1",
        "0.10",
        ".1",
        "5.",
        "inf",
        "-inf",
        "nan",
        "-nan",
        "1e9999",
        "-1e-9999",
        "007",
    ]
    cells += [
        f"{draw.choice('-+ ')}{draw.randint(0, 10 ** draw.randint(0, 40))}.{draw.randint(0, 10 ** draw.randint(0, 9))}"
        for _ in range(80)
    ]
    cells += [repr(draw.uniform(-1, 1) * 10 ** draw.randint(-300, 300)) for _ in range(80)]
    con.execute("CREATE OR REPLACE TABLE n (t VARCHAR)")
    con.executemany("INSERT INTO n VALUES (?)", [[cell] for cell in cells])
    keys = con.execute(f"SELECT t, {text('cover_number', text='t')} FROM n").fetchall()
    assert all(
        (a < b, a == b) == (number(x.strip()) < number(y.strip()), number(x.strip()) == number(y.strip()))
        for x, a in keys
        for y, b in keys
    )
    for cell in ("", "-", ".", "1e", "1_000", "0x10", "ten", "1e99999", "Infinity", "\u0661"):
        assert con.execute(f"SELECT {text('cover_number', text='t')} FROM (SELECT $1 AS t)", [cell]).fetchall() == [(None,)]
