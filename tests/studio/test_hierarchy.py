"""A hierarchy in the making, and a release that uses it."""

from __future__ import annotations

import pytest

import kanon_sql
from kanon_sql.errors import SourceError
from kanon_sql.studio.hierarchy import Hierarchy


@pytest.mark.everything
def test_groups_of_groups_are_a_file_that_a_release_reads(tmp_path):
    ages = Hierarchy([str(age) for age in range(20, 40)])
    for start in range(20, 40, 5):
        ages.group(1, [str(age) for age in range(start, start + 5)], f"{start}-{start + 4}")
    ages.group(2, ["20-24", "25-29"], "20-29")
    assert ages.labels(2) == ["20-29", "30-34", "35-39"]
    path = tmp_path / "it's ages.csv"
    path.write_text(ages.text())
    spelled = str(path).replace("'", "''")
    with kanon_sql.connect() as con:
        con.execute("CREATE TABLE people AS SELECT (20 + i % 20)::VARCHAR AS age FROM range(40) AS t(i)")
        rows = con.execute(f"FROM people ANONYMIZE BY age IN HIERARCHY '{spelled}' GUARANTEE k >= 20").fetchall()
    assert {age for (age,) in rows} == {"20-29", None}
    again = Hierarchy(ages.values)
    again.read(path.read_text())
    assert again.levels == ages.levels


def test_names_with_semicolons_and_quotes_are_read_back():
    odd = Hierarchy(['a;"b"', "c\nd", "e"])
    odd.group(1, ['a;"b"', "e"], 'x;"y"')
    again = Hierarchy(odd.values)
    again.read(odd.text())
    assert again.levels == odd.levels


def test_a_level_can_be_removed():
    found = Hierarchy(["a", "b"])
    found.group(1, ["a", "b"], "ab")
    found.group(2, ["ab"], "all")
    found.remove()
    found.remove()
    assert found.levels == [{"a": "a", "b": "b"}]


def test_labels_move_between_groups():
    found = Hierarchy(["a", "b", "c", "d"])
    assert found.groups(1) == {"a": ["a"], "b": ["b"], "c": ["c"], "d": ["d"]}
    found.group(1, ["a", "b"], "x")
    found.group(1, ["c"], "y")
    found.group(1, ["b"], "y")
    assert found.groups(1) == {"x": ["a"], "y": ["b", "c"], "d": ["d"]}
    assert found.groups(2) == {"x": ["x"], "y": ["y"], "d": ["d"]}
    found.ungroup(1, ["b"])
    assert found.groups(1) == {"x": ["a"], "b": ["b"], "y": ["c"], "d": ["d"]}
    found.group(2, ["x", "d"], "z")
    assert found.groups(2) == {"z": ["x", "d"], "b": ["b"], "y": ["y"]}
    with pytest.raises(SourceError, match="higher level"):
        found.ungroup(1, ["a"])


@pytest.mark.parametrize(
    ("level", "labels", "name", "said"),
    [
        (1, ["a"], " ", "no name"),
        (1, ["a"], "*", "no name"),
        (1, [], "x", "no label is chosen"),
        (1, ["a"], "x", "higher level"),
    ],
)
def test_mistakes(level, labels, name, said):
    found = Hierarchy(["a", "b"])
    found.group(1, ["a"], "first")
    if said == "higher level":
        found.group(2, ["first"], "second")
    with pytest.raises(SourceError, match=said):
        found.group(level, labels, name)


@pytest.mark.parametrize("text", ["", "a\nb\n", "a;x;*\nb;*\n"])
def test_a_file_that_is_no_hierarchy(text):
    with pytest.raises(SourceError, match="not a hierarchy"):
        Hierarchy(["a", "b"]).read(text)


def test_labels_have_the_rows_of_their_values():
    jobs = Hierarchy(["baker", "cook", "nurse"])
    jobs.group(1, ["baker", "cook"], "food")
    counted = {"baker": 3, "cook": 4, "nurse": 5}
    assert (jobs.rows(0, counted), jobs.rows(1, counted)) == (counted, {"food": 7, "nurse": 5})
