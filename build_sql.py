"""Build the macros in plain SQL from their parts: `python build_sql.py` in a checkout; installing and the tests do it, too.

A line of ``sql/macros/*.sql`` or ``sql/parts/*.sql`` may hold ``@part(argument; argument)``. The text of ``sql/parts/part.sql``
takes its place, with the arguments in place of the ``<parameters>``, and indented like the line. The rest of the line follows.
The results are ``sql/*.sql``, each complete in itself, and ``sql/kanon.sql``, which holds all of them. They are not committed.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

SQL = Path(__file__).resolve().parent / "sql"

_ALL = "kanon"
"""The name of the file that holds all macros."""

_MARK = re.compile(r"^( *)(.*?)@(\w+)\(")
_HEADER = re.compile(r"-- (\w+)\(([^()]*)\): [^\n]*\n(?:-- [^\n]*\n)*\n")


def macros() -> dict[str, str]:
    """Return the text of each file by its name, built from the parts."""
    texts = {path.stem: _filled(path.read_text(encoding="utf-8")) for path in sorted((SQL / "macros").glob("*.sql"))}
    return texts | {_ALL: "".join(texts.values())}


def build() -> None:
    """Write the files that differ, each whole, and remove those of macros that are gone."""
    texts = macros()
    for path in SQL.glob("*.sql"):
        if path.stem not in texts:
            path.unlink()
    for name, text in texts.items():
        path = SQL / f"{name}.sql"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            partial = path.with_suffix(f".{os.getpid()}")
            partial.write_text(text, encoding="utf-8", newline="\n")
            partial.replace(path)


def _filled(text: str) -> str:
    return "".join(f"{line}\n" for given in text.splitlines() for line in _lines(given))


def _lines(line: str) -> list[str]:
    """Return a line, or the lines of the part that it names."""
    mark = _MARK.match(line)
    if mark is None:
        return [line]
    indent, before, name = mark.groups()
    end = _closing(line, mark.end())
    first, *others = _part(name, line[mark.end() : end]).splitlines()
    found = [f"{indent}{before}{first}", *(f"{indent}{other}" for other in others)]
    found[-1] += line[end + 1 :]
    return found


def _closing(line: str, start: int) -> int:
    """Return the place of the parenthesis that closes the one in front of a place; those behind a backslash do not count."""
    depth = 1
    for place in range(start, len(line)):
        if line[place - 1] != "\\":
            depth += {"(": 1, ")": -1}.get(line[place], 0)
        if depth == 0:
            return place
    raise ValueError(f"no parenthesis closes the arguments in {line.strip()!r}")


def _part(name: str, arguments: str) -> str:
    """Return the text of a part with its arguments."""
    text = (SQL / "parts" / f"{name}.sql").read_text(encoding="utf-8")
    header = _HEADER.match(text)
    if header is None or header[1] != name:
        raise ValueError(f"part {name} does not start with '-- {name}(...): what it is' and an empty line")
    names = [each.strip() for each in header[2].split(";")] if header[2] else []
    values = [each.removeprefix(" ") for each in arguments.split(";")] if arguments else []
    if len(names) != len(values):
        raise ValueError(f"part {name} takes {len(names)} arguments, and {len(values)} are given")
    text = text[header.end() :]
    for parameter, value in zip(names, values, strict=True):
        text = text.replace(f"<{parameter}>", value)
    return _filled(text)


if __name__ == "__main__":
    build()
