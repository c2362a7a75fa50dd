"""Build the macros in plain SQL from their parts: `python build_sql.py` in a checkout; installing and the tests do it, too.

A line of ``sql/macros/*.sql`` or ``sql/parts/*.sql`` may hold ``@part(argument; argument)``. The text of ``sql/parts/part.sql``
takes its place, with the arguments in place of the ``<parameters>``, and indented like the line. The rest of the line follows.
The results are ``sql/*.sql``, each complete in itself, and ``sql/kanon.sql``, which holds all of them. They are not committed.

The parts of `_RULES` are not files: they are the rules of ``kanon_sql/recognition``, which Python reads, too, and the SQL of
``kanon_sql/engines/guarantees``, by which gates ask for guarantees.
"""

from __future__ import annotations

import os
import re
import runpy
from collections.abc import Callable
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import Any

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
    if name in _RULES:
        return _RULES[name](arguments)
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


def _guarantee(arguments: str) -> str:
    """Return the SQL of a guarantee as a text inside of a query of a macro: its name, and ``slot = SQL`` for its slots."""
    name, *given = arguments.split("; ")
    slots = dict(slot.split(" = ", 1) for slot in given)
    text = (SQL.parent / "kanon_sql" / "engines" / "guarantees" / f"{name}.sql").read_text(encoding="utf-8")

    def written(found: re.Match[str]) -> str:
        return slots[found[1]] if found[1] else "$" if found[0] == "$$" else found[0] * 2

    return re.sub(r"\$\{(\w+)\}|\$\$|[{}']", written, dedent(text))


@cache
def _recognition(module: str) -> dict[str, Any]:
    """Return what a module about recognizing columns defines; the package may not be installed yet."""
    return runpy.run_path(str(SQL.parent / "kanon_sql" / "recognition" / f"{module}.py"))


def _literal(pattern: str) -> str:
    """Return a regular expression as it is written in a text inside of a query of a macro."""
    if "'" in pattern:
        raise ValueError(f"a pattern has a quotation mark: {pattern}")
    return "".join(
        letter * 2 if letter in "{}" else letter if letter.isascii() else rf"\x{{{{{ord(letter):x}}}}}" for letter in pattern
    )


def _name_rules(_: str) -> str:
    """Return the rules about names as rows: number, role, kind, paragraph, textual, numeric, personal, pattern, exceptions."""
    return ",\n".join(_name_rule(number, rule) for number, rule in enumerate(_recognition("name_patterns")["name_rules"]()))


def _name_rule(number: int, rule: Any) -> str:
    exceptions = None if rule.role == "identifier" and not rule.exceptions else rule.exceptions
    facts = (rule.role, rule.kind, rule.paragraph, rule.textual, rule.numeric, rule.personal)
    return _row(number, *facts, rule.pattern, exceptions)


def _row(*cells: object) -> str:
    """Return a row of VALUES."""
    return f"({', '.join(map(_cell, cells))})"


def _cell(cell: object) -> str:
    if cell is None:
        return "NULL"
    if isinstance(cell, list):
        return f"system.main.list_value({', '.join(map(str, cell))})"
    if isinstance(cell, bool):
        return str(cell).lower()
    return f"''{_literal(cell)}''" if isinstance(cell, str) else str(cell)


def _named(kinds: str) -> str:
    """Return the pattern of the names of some kinds."""
    rules = _recognition("name_patterns")["name_rules"]()
    return "|".join(_literal(rule.pattern) for rule in rules if rule.kind in kinds.split(", "))


def _hold(kinds: str) -> str:
    """Return what texts of some kinds have inside of them; dates are a kind here."""
    made = _recognition("form_patterns")
    found = [form.hold for form in made["forms"]() if form.kind in kinds.split(", ") and form.hold]
    return _literal("|".join(found or [made["dates"]().hold]))


def _date(which: str) -> str:
    """Return a form of dates."""
    return _literal(getattr(_recognition("form_patterns")["dates"](), which))


def _constant(name: str) -> str:
    """Return a number or a pattern of the module about forms."""
    value = _recognition("form_patterns")[name]
    return _literal(value) if isinstance(value, str) else str(value)


def _forms(_: str) -> str:
    """Return the forms of texts as rows; those with a number below 0 are not identifiers, but dates, numbers and answers."""
    made = _recognition("form_patterns")
    others = {-3: (made["dates"]().look, 0.8), -2: (made["NUMBER"], 0.8), -1: (made["ANSWER"], 1.0)}
    without = "", 0, 0, 0, None, 1, 1
    rows = [_row(each, *[""] * 4, False, _in_one_line(look), share, *without) for each, (look, share) in others.items()]
    return ",\n".join([*rows, *(_form(number, form) for number, form in enumerate(made["forms"]()))])


def _form(number: int, form: Any) -> str:
    facts = (form.after, form.reason, form.paragraph, form.kind, form.folded, _in_one_line(form.look), form.share)
    counts = (_in_one_line(form.some), form.some_share, form.mean_length, form.distinct)
    weights = list(form.weights) or None
    return _row(number, *facts, *counts, weights, 10 if form.crossed else 1000, form.modulus)


def _in_one_line(look: str) -> str:
    """Return a form that matches no line break, since SQL looks for it in many texts at once, one a line."""
    found, inside = "", False
    for each in re.findall(r"\\.|\[\^?\]?|.", look):
        if each == r"\s" and not inside:
            found += r"[^\S\n]"
            continue
        inside = each != "]" if inside else each.startswith("[")
        found += r"[^\n" + each[2:] if each.startswith("[^") and inside else each
    return found


_RULES: dict[str, Callable[[str], str]] = {
    "name_rules": _name_rules,
    "not_identifying": lambda _: _literal(_recognition("name_patterns")["not_identifying"]()),
    "not_ages": lambda _: _literal(_recognition("name_patterns")["not_ages"]()),
    "named": _named,
    "hold": _hold,
    "date": _date,
    "constant": _constant,
    "forms": _forms,
    "guarantee": _guarantee,
}
"""Parts that are made from the rules about names and texts, or are the SQL of guarantees."""


if __name__ == "__main__":
    build()
