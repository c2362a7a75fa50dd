"""Statements and tables that ask for more than there is: each is released, or refused by an error that says why."""

from __future__ import annotations

import pytest
from bounded import bounded


def _table(columns: str, rows: int) -> str:
    created = f"CREATE TABLE p AS SELECT {columns} FROM range({rows}) AS t(i)"
    return f"con.execute({created!r})\n"


def _wide(columns: int) -> str:
    return _table(", ".join(f"i % {2 + i % 50} AS c{i}" for i in range(columns)), 500)


_SMALL = _table("i % 40 AS zip, i % 7 AS age, i % 3 AS d", 2000)


def _run(statement: str, before: str = _SMALL) -> str:
    return f"{before}found += con.execute({statement}).fetchall()[:1]\n"


BOMBS = {
    "brackets of a clause": (_run("'FROM p ANONYMIZE BY ' + '(' * 100000 + 'zip' + ')' * 100000"), "expected a column"),
    "brackets of a query": (
        _run("'SELECT ' + '(' * 50000 + 'zip' + ')' * 50000 + ' AS z FROM p ANONYMIZE BY z GUARANTEE k >= 5'"),
        "depth limit",
    ),
    "conditions": (_run("'FROM p ANONYMIZE BY zip, age GUARANTEE ' + ' AND '.join(['k >= 5'] * 20000)"), ""),
    "digits": (_run("'FROM p ANONYMIZE BY zip GUARANTEE k >= ' + '9' * 1000000"), "more than 40 digits"),
    "comments": (_run("'/*' * 1000000 + 'FROM p ANONYMIZE BY zip GUARANTEE k >= 5'"), "close every quote and comment"),
    "masks": (_run("'FROM p ANONYMIZE BY GROUPING SETS (' + ', '.join(['(zip, age)'] * 20000) + ') GUARANTEE k >= 5'"), ""),
    "columns": (
        _run("'FROM p ANONYMIZE BY ' + ', '.join(f'c{i}' for i in range(3000)) + ' GUARANTEE k >= 5'", _wide(3000)),
        "too many quasi-identifiers: 3000",
    ),
    "cube": (
        _run(
            "'FROM p ANONYMIZE BY CUBE (' + ', '.join(f'c{i}' for i in range(30)) + ') GUARANTEE k >= 5'",
            _wide(30),
        ),
        "",
    ),
    "nested policy": (_run("\"FROM anonymize('p', '\" + '[' * 1000000 + \"')\""), "no policy"),
    "long values": (
        _run(
            "'FROM p ANONYMIZE BY zip, age GUARANTEE k >= 5'",
            _table("repeat(chr(65 + i::INTEGER), 3000000) AS zip, 1 AS age", 60),
        ),
        "raise the memory limit",
    ),
    "a query that grows": (
        _run(
            "\"SELECT length(x) AS x FROM (SELECT repeat('x', 2000000000) AS x FROM range(9)) ANONYMIZE BY x GUARANTEE k >= 5\""
        ),
        "raise the memory limit",
    ),
}


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("bomb", BOMBS)
def test_bombs(bomb: str) -> None:
    script, refusal = BOMBS[bomb]
    ended = bounded(script, megabytes=1500)
    assert refusal in ended.refusal
    assert bool(ended.released) == (not refusal), ended.refusal
    assert len(ended.refusal) < 2000
