"""The audit of published tables of counts, beside an attacker who lists all tables of whole numbers."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.errors import PolicyError, SourceError
from kanon_sql.model.how_many import how_many

Cell = tuple[str | None, ...]
Table = dict[Cell, int | None]

KEYS = ("a", "b", "c")


def covers(row: Cell, base: Cell) -> bool:
    """Return whether a base cell is part of a row."""
    return all(key is None or key == own for key, own in zip(row, base, strict=True))


def published(draw: random.Random, sizes: tuple[int, ...], sets: list[tuple[int, ...]], most: int) -> tuple[Table, set[Cell]]:
    """Return a table with some rows suppressed, and the combinations of keys that the attacker knows to be possible."""
    whole = {base: draw.choice([0, 1, 1, 2, most]) for base in itertools.product(*("xyzw"[:size] for size in sizes))}
    counts: dict[Cell, int] = {}
    for chosen, (base, count) in itertools.product(sets, whole.items()):
        row = tuple(key if place in chosen else None for place, key in enumerate(base))
        counts[row] = counts.get(row, 0) + count
    total = (None,) * len(sizes)
    table: Table = {row: None if row != total and draw.random() < 0.5 else count for row, count in counts.items() if count}
    shown = [tuple(key if place in chosen else None for place, key in enumerate(base)) for base in whole for chosen in sets]
    empty = set(shown) - table.keys()
    return table, {base for base in whole if not any(covers(row, base) for row in empty)}


def possible(table: Table, bases: set[Cell], least: int) -> Iterator[dict[Cell, int]]:
    """Yield the suppressed rows of every table that agrees with the published one."""
    order = sorted(bases)
    top = max((count for count in table.values() if count is not None), default=0)

    def place(number: int, rest: Table) -> Iterator[dict[Cell, int]]:
        if number == len(order):
            if all(not left for row, left in rest.items() if table[row] is not None):
                found = {row: -(rest[row] or 0) for row in table if table[row] is None}
                if all(value >= least for value in found.values()):
                    yield found
            return
        rows = [row for row in table if covers(row, order[number])]
        most = min((rest[row] or 0 for row in rows if table[row] is not None), default=top)
        for value in range(most + 1):
            yield from place(number + 1, rest | {row: (rest[row] or 0) - value for row in rows})

    yield from place(0, {row: count or 0 for row, count in table.items()})


def arrow(table: Table, names: tuple[str, ...]) -> pa.Table:
    columns = {name: [row[place] for row in table] for place, name in enumerate(names)}
    return pa.table(
        {name: pa.array(values, pa.string()) for name, values in columns.items()} | {"n": pa.array(table.values(), pa.int64())}
    )


SHAPES = {
    "one way": ((4,), [(0,), ()]),
    "two-way": ((2, 3), [(0, 1), (0,), (1,), ()]),
    "rollup": ((2, 3), [(0, 1), (0,), ()]),
    "two margins": ((2, 2, 2), [(0, 1), (1, 2), (1,), ()]),
    "three-way": ((2, 2, 2), [(0, 1, 2), (0, 1), (0, 2), (1, 2), (0,), ()]),
}


@pytest.mark.sweep
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(6))
def test_intervals_are_those_of_an_attacker_who_lists_all_tables(shape: str, seed: int) -> None:
    draw = random.Random(f"{shape}{seed}")
    sizes, sets = SHAPES[shape]
    table, bases = published(draw, sizes, sets, 4)
    names = KEYS[: len(sizes)]
    found = kanon_sql.audit_table(arrow(table, names), names, k=3)
    worlds = list(possible(table, bases, 1))
    assert worlds
    assert {each.cell for each in found.cells} == {row for row, count in table.items() if count is None}
    for each in found.cells:
        values = {world[each.cell] for world in worlds}
        assert each.upper is not None
        if shape in ("one way", "two-way", "rollup"):  # there, ends of linear programs are whole numbers
            assert (each.lower, each.upper) == (min(values), max(values))
            assert (each.exact, each.small) == (len(values) == 1, max(values) < 3)
        assert each.lower <= min(values)
        assert each.upper >= max(values)
        assert each.exact <= (len(values) == 1)
        assert each.small <= (max(values) < 3)
    assert found.disclosed == sum(each.exact or each.small for each in found.cells)


def people(seed: int) -> pa.Table:
    draw = random.Random(seed)
    return pa.table(
        {
            "region": [draw.choice("nnnsew") for _ in range(90)],
            "sex": [draw.choice("fm") for _ in range(90)],
            "age": [draw.randrange(4) for _ in range(90)],
            "income": [draw.randrange(1, 9) for _ in range(90)],
        }
    )


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rows", ["null", "absent"])
def test_a_protected_table_gives_nothing_away_and_small_cells_alone_do(seed: int, rows: str) -> None:
    source, by = people(seed), ["region", "sex", "age"]
    safe = kanon_sql.protect(source, by=by, k=4, rows=rows).table
    least = 0 if rows == "null" else 1  # a suppressed row may be one that nobody is in
    assert kanon_sql.audit_table(safe, by, k=4, rows=rows, least=least).holds
    con = kanon_sql.connect()
    con.register("source", source)
    naive = con.sql(
        "SELECT region, sex, age, CASE WHEN n >= 4 THEN n END AS n "
        "FROM (SELECT region, sex, age, count(*) AS n FROM source GROUP BY CUBE (region, sex, age))"
    ).to_arrow_table()
    found = kanon_sql.audit_table(naive if rows == "null" else naive.filter(naive["n"].is_valid()), by, k=4, rows=rows)
    assert not found.holds
    told = found.wrong(4) or ""
    assert told.startswith(f"totals reveal {how_many(found.disclosed, 'suppressed cell')}")


def counts(*rows: tuple[str | None, str | None], name: str = "n") -> pa.Table:
    return pa.table({"region": pa.array([row[0] for row in rows]), name: pa.array([row[1] for row in rows], pa.string())})


def test_texts_of_other_tools_decimals_and_sums() -> None:
    table = counts(("north", "1.25"), ("south", "*"), ("east", "c"), ("All", "6"), name="s")
    found = kanon_sql.audit_table(table, ["region"], measure="S", total="All", suppressed=["*", "c"], least=0, k=4)
    assert [(each.cell, each.lower, float(each.upper or -1)) for each in found.cells] == [
        (("south",), 0, 4.75),
        (("east",), 0, 4.75),
    ]
    assert found.holds
    assert "south" not in repr(found) + repr(found.cells)
    both = kanon_sql.audit_table(table, ["region"], measure="S", total="All", suppressed=["*", "c"], least=0, k=6)
    assert [(each.cell, float(each.lower)) for each in both.groups] == [(("(others)",), 4.75)]
    assert found.cells[0].to_dict() == {"cell": ["south"], "lower": 0, "upper": 4.75, "exact": False, "small": False}


def test_without_its_total_a_cell_has_no_limit() -> None:
    found = kanon_sql.audit_table(counts(("north", "7"), ("south", None)), ["region"])
    assert [(each.lower, each.upper) for each in found.cells] == [(1, None)]
    assert found.holds


def test_an_empty_cell_that_was_left_out_is_no_secret_and_a_suppressed_one_is() -> None:
    keys = pa.table({"a": ["x", "x", "y", "x", "y", None], "b": ["u", "v", "u", None, None, None]})
    table = keys.append_column("n", pa.array([3, 4, 9, 7, 9, 16]))
    assert kanon_sql.audit_table(table, ["a", "b"], rows="absent").cells == ()
    hidden = pa.concat_tables([table, pa.table({"a": ["y"], "b": ["v"], "n": pa.array([None], pa.int64())})])
    assert kanon_sql.audit_table(hidden, ["a", "b"], least=0).exact == 1


def left_out(*rows: tuple[str | None, int]) -> pa.Table:
    return pa.table({"region": pa.array([row[0] for row in rows], pa.string()), "n": [row[1] for row in rows]})


def test_a_table_that_leaves_rows_out_may_have_values_that_no_row_shows() -> None:
    people = pa.table({"region": list("x" * 9 + "y" * 3 + "q")})
    safe = kanon_sql.protect(people, ["region"], k=4, rows="absent", grouping="rollup").table
    assert safe.equals(left_out(("x", 9), (None, 13)).cast(safe.schema))
    assert kanon_sql.audit_table(safe, ["region"], k=4, rows="absent").holds
    found = kanon_sql.audit_table(left_out(("x", 9), (None, 12)), ["region"], k=4, rows="absent")
    assert [(each.cell, each.lower, each.upper) for each in found.groups] == [(("(others)",), 3, 3)]
    assert found.wrong(4) == "1 overlap of rows is provably below k = 4"


def test_groups_between_overlapping_groupings_are_found() -> None:
    """61 people of 10 to 19, of whom 60 are younger than 15: one is 15 to 19."""
    bands = pa.table({"decade": ["10", "20", None, None, None], "older": [None, None, "no", "yes", None]})
    table = bands.append_column("n", pa.array([61, 139, 60, 140, 200]))
    assert kanon_sql.audit_table(table, ["decade", "older"]).holds  # any decade may have older people
    possible = pa.table({"Decade": ["10", "10", "20"], "older": ["no", "yes", "yes"]})
    found = kanon_sql.audit_table(table, ["decade", "older"], possible=possible)
    assert [(each.cell, each.lower, each.upper) for each in found.groups] == [(("10", "yes"), 1, 1)]
    assert not found.holds
    with pytest.raises(PolicyError, match='did you mean "older"'):
        kanon_sql.audit_table(table, ["decade", "older"], possible=pa.table({"oder": ["no"]}))


def test_whoever_adds_to_a_sum_is_a_person() -> None:
    table = pa.table({"region": ["north", "south", None], "n": [None, None, 3], "s": [5, None, 9]})
    assert kanon_sql.audit_table(table, ["region"], k=3, least=0).holds
    found = kanon_sql.audit_table(table, ["region"], k=3, least=0, sums=["s"])
    assert [(each.cell, each.lower, each.upper, each.small) for each in found.cells] == [
        (("north",), 1, 2, True),
        (("south",), 1, 2, True),
    ]


@pytest.mark.parametrize(
    ("table", "options", "text"),
    [
        (counts(("north", "7"), ("south", "5"), (None, "13")), {}, "do not add up"),
        (counts(("north", "7"), ("south", None), (None, "7")), {}, "least=0"),
        (counts(("north", "7"), ("south", "few"), (None, "9")), {}, "non-numeric text"),
        (counts(("north", "-7"), (None, "9")), {}, "negative"),
        (counts(("north", "7"), ("north", "8"), (None, "15")), {}, "same keys"),
        (counts(("north", "7"), ("south", None), ("east", None), (None, str(2**41))), {}, "too many digits"),
        (counts(("a", "7"), ("b", None), ("c", None), (None, "19")), {"time_limit": 1e-9}, "time limit expired"),
    ],
)
def test_a_table_that_cannot_be_checked_is_refused(table: pa.Table, options: dict[str, float], text: str) -> None:
    with pytest.raises(SourceError, match=text):
        kanon_sql.audit_table(table, ["region"], **options)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"by": "region"}, "list of columns"),
        ({"by": ["regoin"]}, "did you mean 'region'"),
        ({"measure": "m"}, "unknown column 'm'"),
        ({"rows": "gone"}, "null or absent"),
        ({"suppressed": "*"}, "list of strings"),
        ({"sums": "n"}, "list of columns"),
        ({"least": -1}, "least must be"),
        ({"k": 0}, "k must be"),
    ],
)
def test_wrong_arguments_are_refused(options: dict[str, object], text: str) -> None:
    with pytest.raises(PolicyError, match=text):
        kanon_sql.audit_table(counts(("north", "7")), **({"by": ["region"]} | options))
