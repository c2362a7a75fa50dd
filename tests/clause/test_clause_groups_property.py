"""Random nested queries: the tokens find what groups exactly where DuckDB's own parse tree says so."""

from __future__ import annotations

import json
import random
from typing import Any

import duckdb
import pytest

from kanon_sql.clause import rewrite
from kanon_sql.errors import ClauseError

AGGREGATES = {"count_star", "count", "sum", "max", "list"}

PLAIN = [
    "1 AS a",
    "2 AS distinct_",
    "a IS NOT DISTINCT FROM 2",
    "sum(1) OVER ()",
    "count(*) OVER (PARTITION BY 1)",
    "'GROUP BY' AS b",
    "(SELECT count(*) FROM t)",
    "CASE WHEN 1 = 1 THEN 2 END",
    "t.group",
    "3 AS group",
    "list_sum([1, 2])",
    "sum(a) FILTER (WHERE a > 1) OVER (ORDER BY a)",
]
GROUPING = ["count(*)", "max(a) + 1", "round(sum(a), 1)", "list(b ORDER BY a)", "sum(count(*)) OVER ()"]
WHERE = ["", "", " WHERE a IS DISTINCT FROM 3", " WHERE EXISTS (SELECT DISTINCT a FROM t GROUP BY a)"]
TAILS = ["", "", "", "", "", "", "", "", " GROUP BY ALL", " GROUP BY a", " HAVING count(*) > 1"]
UNIONS = [
    "UNION ALL",
    "UNION ALL",
    "UNION ALL BY NAME",
    "EXCEPT ALL",
    "INTERSECT ALL",
    "UNION",
    "INTERSECT",
    "EXCEPT",
    "UNION BY NAME",
]


class Writer:
    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def query(self, depth: int, above: list[str]) -> str:
        draw, begin = self.draw, ""
        if depth and draw.random() < 0.35:
            parts, above = [], list(above)
            for name in draw.sample(["g", "h", "t", "U", "people"], draw.randint(1, 2)):
                how = draw.choice(["", "MATERIALIZED ", "NOT MATERIALIZED "])
                parts.append(f"{name} AS {how}({self.query(depth - 1, above)})")
                above.append(name)
            begin = f"WITH {', '.join(parts)} "
        text = begin + self.select(depth, above)
        while draw.random() < 0.15:
            branch = self.select(depth, above)
            text += f" {draw.choice(UNIONS)} {f'({branch})' if draw.random() < 0.4 else branch}"
        return text

    def select(self, depth: int, above: list[str]) -> str:
        draw = self.draw
        tables = self.tables(depth, above)
        distinct = "DISTINCT " if draw.random() < 0.1 else ""
        listed = PLAIN + GROUPING if draw.random() < 0.1 else PLAIN
        items = f"SELECT {distinct}{', '.join(draw.choices(listed, k=draw.randint(1, 3)))}"
        tail = draw.choice(WHERE) + draw.choice(TAILS) + draw.choice(["", "", " QUALIFY row_number() OVER () > 1"])
        return draw.choice([f"FROM {tables}{tail}", f"FROM {tables} {items}{tail}", f"{items} FROM {tables}{tail}"])

    def tables(self, depth: int, above: list[str]) -> str:
        text = self.table(depth, above)
        while self.draw.random() < 0.25:
            text += self.draw.choice([", ", " CROSS JOIN ", " POSITIONAL JOIN "]) + self.table(depth, above)
        return text

    def table(self, depth: int, above: list[str]) -> str:
        draw, drawn = self.draw, self.draw.random()
        if depth and drawn < 0.4:
            return f"({self.query(depth - 1, above)}) {draw.choice(['', 'AS s', 's', 'AS s(a, b)'])}"
        if above and drawn < 0.65:
            return draw.choice(["{}", '"{}" AS z', "{} z"]).format(draw.choice(above))
        if depth and drawn < 0.75:
            return f"(({self.query(depth - 1, above)}) AS l CROSS JOIN {self.table(depth - 1, above)})"
        return draw.choice(["t", "u", "main.t", "range(3)", "q: t", "t AS x(a, b)"])


def aggregates(part: Any) -> bool:
    if isinstance(part, list):
        return any(map(aggregates, part))
    if not isinstance(part, dict):
        return False
    if part.get("class") == "SUBQUERY":
        return aggregates(part["child"])
    return (part.get("function_name") in AGGREGATES and part["class"] == "FUNCTION") or any(map(aggregates, part.values()))


def groups(node: dict[str, Any], above: dict[str, bool]) -> bool:
    if node["type"] == "CTE_NODE":  # before DuckDB 2; its child has the same queries above
        return groups(node["child"], above)
    for each in node["cte_map"]["map"]:
        value = each["value"]
        above = above | {each["key"].lower(): groups(value.get("query_node") or value["query"]["node"], above)}
    if node["type"] == "SET_OPERATION_NODE":
        branches = node.get("children") or [node["left"], node["right"]]
        return not node["setop_all"] or any(groups(branch, above) for branch in branches)
    if node["group_expressions"] or node["group_sets"] or node["having"] or node["aggregate_handling"] != "STANDARD_HANDLING":
        return True
    if aggregates(node["select_list"]) or any(each["type"] == "DISTINCT_MODIFIER" for each in node["modifiers"]):
        return True
    found = sources(node["from_table"], above)
    return bool(found) and all(found)


def sources(table: dict[str, Any], above: dict[str, bool]) -> list[bool]:
    match table["type"]:
        case "JOIN":
            return sources(table["left"], above) + sources(table["right"], above)
        case "SUBQUERY":
            return [groups(table["subquery"]["node"], above)]
        case "BASE_TABLE" if not table["schema_name"]:
            return [above.get(table["table_name"].lower(), False)]
    return [False]


def refused(statement: str) -> bool:
    try:
        rewrite(statement, lambda body, *_: body)
    except ClauseError as error:
        if "several people" not in str(error):
            raise
        return True
    return False


@pytest.mark.sweep
@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.everything) for seed in range(4, 40))])
def test_groups_are_those_of_the_parse_tree(seed: int) -> None:
    writer, seen = Writer(seed), set()
    with duckdb.connect() as con:
        for _ in range(50):
            query = writer.query(3, [])
            (told,) = con.execute("SELECT json_serialize_sql(?)", [query]).fetchall()[0]
            tree = json.loads(told)
            assert not tree["error"], query
            wanted = groups(tree["statements"][0]["node"], {})
            seen.add(wanted)
            for text in ("{}", "CREATE TABLE r AS {}", "SELECT count(*) FROM ({})"):
                statement = text.format(f"{query} ANONYMIZE BY a GUARANTEE k >= 2")
                assert refused(statement) is wanted, statement
    assert seen == {True, False}
