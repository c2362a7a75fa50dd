"""The checker finds what is wrong with releases that were made wrong on purpose, and shares nothing with what it checks."""

from __future__ import annotations

import ast
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import duckdb
import pytest
from naive import optimum as optimum_by_partitions

from fuzz import averages
from fuzz.brute_force import optimum
from fuzz.checker import Claim, Rules, check
from fuzz.guarantee import Guarantee, Recoding, Requirement
from fuzz.label_rules import covers
from fuzz.table import Look, Table, read_pair
from fuzz.unlisted_rules import refused_wrongly

INDEPENDENT = (
    "averages", "guarantee", "table", "requirement_rules", "label_rules", "ladders", "row_assignment", "checker", "brute_force",
    "population_rules", "unlisted_rules",
)  # fmt: skip

NAMES = ("id", "zip", "age", "ill")
ROWS: list[tuple[Look, ...]] = [
    ("1", "a", "30", "flu"),
    ("2", "a", "31", "gout"),
    ("3", "b", "30", "flu"),
    ("4", "b", "30", "ulcer"),
    ("5", "c", "31", "flu"),
    ("6", "c", "31", "gout"),
]
GOOD: list[tuple[Look, ...]] = [("1", "a", None, "flu"), ("2", "a", None, "gout"), *ROWS[2:]]
GUARANTEE = Guarantee(qi=("zip", "age"), k=2)


def table(rows: list[tuple[Look, ...]], names: tuple[str, ...] = NAMES) -> Table:
    return Table(names, ("VARCHAR",) * len(names), rows, rows)


def claim(cost: int, **changed: object) -> Claim:
    own = Claim(cost=Fraction(cost), lower_bound=Fraction(cost), optimal=True, rows=6, classes=3, smallest_class=2)
    return replace(own, **changed)  # type: ignore[arg-type]


def test_nothing_of_the_checker_is_of_the_package() -> None:
    folder = Path(__file__).resolve().parent
    for name in INDEPENDENT:
        for node in ast.walk(ast.parse((folder / f"{name}.py").read_text(encoding="utf-8"))):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for module in modules:
                assert not module.startswith("kanon_sql"), f"{name} imports {module}"
                assert not module.startswith("fuzz.") or module.partition(".")[2] in INDEPENDENT, f"{name} imports {module}"


@pytest.mark.parametrize(
    ("kind", "shown", "wrong"),
    [
        ("means", ("30.5", "30.0", "31.0"), 0),
        ("means", ("30.6", "30.0", "31.0"), 1),
        ("medians", ("30", "30", "31"), 0),
        ("medians", ("30", "31", "31"), 1),
        ("medians", (None, "30", "31"), 1),
    ],
)
@pytest.mark.parametrize("named", [True, False])
def test_means_and_medians_are_worked_out_again(kind: str, shown: tuple[Look, ...], wrong: int, named: bool) -> None:
    ids = [row[0] if named else "1" for row in ROWS]
    source = Table(("id", "age"), ("INTEGER", "INTEGER"), own := [(i, row[2]) for i, row in zip(ids, ROWS, strict=True)], own)
    rows: list[tuple[Look, ...]] = [(i, shown[place // 2]) for place, i in enumerate(ids)]
    guarantee = Guarantee(qi=("age",), k=2, recodings={"age": Recoding(kind=kind)})
    found = list(averages.check(source, Table(source.names, source.types, rows, rows), guarantee))
    assert len(found) == wrong or not (named or kind == "means")  # without a key, medians that somebody has pass


def test_a_release_that_keeps_its_guarantee_passes() -> None:
    assert check(table(ROWS), table(GOOD), GUARANTEE, claim(2)) == []


def changed(row: int, column: int, cell: Look) -> list[tuple[Look, ...]]:
    rows = [list(each) for each in GOOD]
    rows[row][column] = cell
    return [tuple(each) for each in rows]


WRONG: list[tuple[str, list[tuple[Look, ...]], Guarantee, Claim]] = [
    ("rows of", GOOD[:-1], GUARANTEE, claim(2)),
    ("classes have fewer", changed(0, 2, "30"), GUARANTEE, claim(1)),
    ("outside the guarantee", changed(0, 3, "gout"), GUARANTEE, claim(2)),
    ("outside the guarantee", changed(0, 0, "2"), GUARANTEE, claim(2)),
    ("of no source row", changed(4, 1, "b"), GUARANTEE, claim(2)),
    ("of no source row", [(*row[:1], "c", *row[2:]) if row[1] == "b" else row for row in GOOD], GUARANTEE, claim(2)),
    ("of no source row", GOOD, replace(GUARANTEE, masks=(("zip",), ())), claim(2)),
    ("of no source row", GOOD, replace(GUARANTEE, linked=(("zip", "age"),)), claim(2)),
    ("of no source row", GOOD, replace(GUARANTEE, suppress="*"), claim(2)),
    (
        "break",
        GOOD,
        replace(GUARANTEE, requirements=(Requirement(kind="l", column="ill", number=Fraction(3), form="distinct"),)),
        claim(2),
    ),
    (
        "break",
        GOOD,
        replace(GUARANTEE, requirements=(Requirement(kind="alpha", column="ill", number=Fraction(1, 3), value="flu"),)),
        claim(2),
    ),
    (
        "break",
        GOOD,
        replace(GUARANTEE, requirements=(Requirement(kind="t", column="ill", number=Fraction(0), form="equal"),)),
        claim(2),
    ),
    ("cost", GOOD, GUARANTEE, claim(1)),
    ("cost", GOOD, GUARANTEE, claim(3)),
    ("cost", GOOD, replace(GUARANTEE, weights={"age": Fraction(3)}), claim(2)),
    ("above the cost", GOOD, GUARANTEE, claim(2, lower_bound=Fraction(3), optimal=False)),
    ("OPTIMAL is", GOOD, GUARANTEE, claim(2, lower_bound=Fraction(1))),
    ("classes, the smallest", GOOD, GUARANTEE, claim(2, classes=2)),
    ("counts", GOOD, GUARANTEE, claim(2, rows=5)),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_a_wrong_release_is_found(number: int) -> None:
    told, rows, guarantee, own = WRONG[number]
    found = check(table(ROWS), table(rows), guarantee, own)
    assert any(told in each for each in found), found


def test_a_release_of_names_is_found() -> None:
    certificate = claim(
        2,
        unchanged=("id", "ill"),
        warnings=tuple(f"{name} is released unchanged and singles out a share of the rows" for name in ("id", "ill")),
    )
    found = check(table(ROWS), table(GOOD), GUARANTEE, certificate)
    assert found == [
        "id singles out too many rows and was released",
        "the columns without a role together single out too many rows and were released",
    ]
    for guarantee in (replace(GUARANTEE, kept=("id", "ill")), replace(GUARANTEE, unlisted_limit=Fraction(1))):
        assert check(table(ROWS), table(GOOD), guarantee, certificate) == []


@pytest.mark.parametrize(
    ("message", "guarantee", "wrong"),
    [
        ("id singles out 100.0% of the rows; nothing was released", GUARANTEE, 0),
        ("ill singles out 16.7% of the rows; nothing was released", GUARANTEE, 1),
        ("id singles out 100.0% of the rows; ill singles out 16.7% of the rows; nothing was released", GUARANTEE, 1),
        ("id and ill together single out 100.0% of the rows; nothing was released", replace(GUARANTEE, kept=("id", "ill")), 1),
        ("id has no role; nothing was released", GUARANTEE, 1),
    ],
)
def test_a_refusal_of_columns_is_counted_again(message: str, guarantee: Guarantee, wrong: int) -> None:
    assert len(list(refused_wrongly(message, table(ROWS), guarantee))) == wrong


def test_columns_and_types_are_checked() -> None:
    turned = table([(*row[1::-1], *row[2:]) for row in GOOD], ("zip", "id", "age", "ill"))
    assert "the columns are" in check(table(ROWS), turned, GUARANTEE)[0]
    numbers = replace(table(GOOD), types=("VARCHAR", "INTEGER", "VARCHAR", "VARCHAR"))
    assert "became INTEGER" in check(table(ROWS), numbers, GUARANTEE)[0]
    assert check(table(ROWS), numbers, GUARANTEE, None, Rules(typed=False)) == []
    listed = replace(table(ROWS), types=("VARCHAR", "ENUM('a', 'b', 'c', 'd')", "VARCHAR", "VARCHAR"))
    assert check(listed, table(GOOD), GUARANTEE) == []
    assert check(listed, replace(table(GOOD), types=listed.types), GUARANTEE) != []


def test_values_equal_in_sql_are_one_and_looks_are_not() -> None:
    with duckdb.connect() as con:
        con.execute("CREATE TABLE source AS SELECT unnest(['0.0', '-0.0']::DOUBLE[]) AS d, unnest([1, 2]) AS id")
        con.execute("CREATE TABLE same AS FROM source")
        con.execute("CREATE TABLE one AS SELECT abs(d) AS d, id FROM source")
        guarantee = Guarantee(qi=("d",), k=2)
        assert check(*read_pair(con, "source", "one"), guarantee) == []
        assert "fewer than 2 rows" in check(*read_pair(con, "source", "same"), guarantee)[0]


COVERED = [
    (Recoding(kind="digits"), "98***", "98101", True),
    (Recoding(kind="digits"), "97***", "98101", False),
    (Recoding(kind="digits"), "98****", "98101", False),
    (Recoding(kind="digits"), "98*", "98101", False),
    (Recoding(kind="digits", steps=(3,)), "98***", "98101", False),
    (Recoding(kind="digits", steps=(3,)), "98101", "98101", False),
    (Recoding(kind="intervals", steps=(Fraction(5),)), "[98100, 98105)", "98101", True),
    (Recoding(kind="intervals", steps=(Fraction(5),)), "[98101, 98102)", "98102", False),
    (Recoding(kind="intervals", steps=(Fraction(1),)), "[98100, 98105)", "98101", False),
    (Recoding(kind="coded", top=Fraction(98101)), "98101+", "98101", True),
    (Recoding(kind="coded", top=Fraction(98102)), "98102+", "98101", False),
    (Recoding(kind="coded", bottom=Fraction(98101)), "98101", "98101", False),
    (Recoding(kind="intervals", steps=(Fraction(5),), bottom=Fraction(98100)), "(98100, 98105)", "98101", True),
    (Recoding(kind="intervals", steps=(Fraction(5),), bottom=Fraction(98100)), "[98100, 98105)", "98101", False),
    (Recoding(kind="cuts", steps=(Fraction(98000), Fraction(98200))), "[98000, 98200)", "98101", True),
    (Recoding(kind="cuts", steps=(Fraction(98000), Fraction(98100))), "98100+", "98101", True),
    (Recoding(kind="cuts", steps=(Fraction(98000), Fraction(98100))), "<98000", "98101", False),
    (Recoding(kind="ranges"), "[98101, 98109]", "98102", True),
    (Recoding(kind="ranges"), "[98102, 98109]", "98101", False),
    (Recoding(kind="ranges"), "[98102, 98109] or NULL", None, True),
    (Recoding(kind="ranges"), "[98102, 98109]", None, False),
    (Recoding(kind="sets"), "{98101, a, b}", "a, b", False),
    (Recoding(kind="sets"), '{98101, "a, b"}', "a, b", True),
    (Recoding(kind="sets"), '{98101, "a, b", NULL}', None, True),
    (Recoding(kind="sets"), '{98101, "a, b"}', None, False),
    (Recoding(kind="chosen"), '["a, b", x]', "a, b", True),
    (Recoding(kind="chosen"), "[a, b, x]", "a, b", False),
    (Recoding(kind="ranges"), '"[a, b]"', "[a, b]", True),
    (Recoding(kind="ranges"), "[a, b]", "[a, b]", False),
    (Recoding(kind="ranges"), '["a", "b"]', "a", True),
    (Recoding(kind="sets"), "{98101, 98109}", "98102", False),
    (Recoding(kind="hierarchy", tree={"98101": ("north",)}), "north", "98101", True),
    (Recoding(kind="hierarchy", tree={"98101": ("north",)}), "north", "98102", False),
]


@pytest.mark.parametrize(("recoding", "label", "value", "expected"), COVERED, ids=lambda each: str(each)[:30])
def test_labels_cover_what_they_say(recoding: Recoding, label: str, value: str | None, expected: bool) -> None:
    odd = () if "98" in label and recoding.kind != "sets" else ("a", "a, b", "b", "x", "[a, b]")
    domain = ("98101", "98102", "98109", *odd)
    assert covers(recoding, label, value, domain, "VARCHAR") == expected


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(25))
def test_the_brute_force_is_that_of_all_partitions(seed: int) -> None:
    draw = Random(seed)
    rows = [(draw.choice("ab"), draw.choice("ab"), draw.choice("abc")) for _ in range(draw.randint(2, 6))]
    masks = [{n for n in range(3) if draw.random() < 0.6} for _ in range(3)] if seed % 2 else None
    weights = [Fraction(draw.choice([1, 2, 5])) for _ in range(3)]
    names = ("x", "y", "z")
    guarantee = Guarantee(
        qi=names,
        k=2,
        weights=dict(zip(names, weights, strict=True)),
        masks=None if masks is None else tuple(tuple(names[n] for n in sorted(mask)) for mask in masks),
    )
    assert optimum(table([(*row,) for row in rows], names), guarantee) == optimum_by_partitions(rows, 2, masks, weights)
