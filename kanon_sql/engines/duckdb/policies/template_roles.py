"""The roles that a template gives to the columns of a table: by what `safe_harbor` and `profile` find in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from kanon_sql.engines.duckdb.guarantees import audit_macros
from kanon_sql.engines.duckdb.names import quoted, table_name
from kanon_sql.engines.duckdb.policies.suggested_levels import holds
from kanon_sql.model.how_many import how_many
from kanon_sql.model.suggested_policy import Role
from kanon_sql.model.template import Template
from kanon_sql.model.validation import as_text
from kanon_sql.recognition import recognized_name

_FOUND = "SELECT column_name, paragraph, reason FROM safe_harbor($name)"

_ZIP = re.compile("zip code|postal code")
_AGES = ("ages above 89 do not share the label 90+", "numbers look like ages above 89")
"""What `safe_harbor` says of a column of ages, whatever its name."""

_DATES = {"dates are finer than a year"}
"""What it says of a column with the type of dates."""

_SMALL = """SELECT system.main.count(*) FROM {table}
    WHERE system.main.left(system.main.lpad(CAST({column} AS VARCHAR), 5, '0'), 3) IN ({areas})"""

_LARGE = "SELECT * REPLACE (CASE WHEN system.main.left({column}, 3) IN ({areas}) THEN '00000' ELSE {column} END AS {column})"

_SMALL_AREAS = (
    "036", "059", "063", "102", "203", "556", "692", "790", "821", "823", "830", "831", "878", "879", "884", "890", "893",
)  # fmt: skip
"""Three digits of zip codes whose areas have at most 20,000 people: HHS guidance of 2012, census of 2000."""


def template_roles(
    con: Any, table: str, template: Template, roles: Mapping[str, Role], profile: Mapping[str, Any]
) -> dict[str, Role]:
    """Return the roles with those that a template changes, each with the paragraph of its rule.

    Parameters
    ----------
    con : connection
        With the table.
    table : str
        Its name, for macros.
    roles : mapping of Role
        What the columns seem to be, by name.
    profile : mapping
        The rows of `profile`, by name.
    """
    audit_macros(con, ("safe_harbor",))
    broken: dict[str, list[tuple[str, str]]] = {}
    for column, paragraph, reason in con.execute(_FOUND, {"name": table}).fetchall():
        broken.setdefault(column, []).append((paragraph, reason))
    found = {}
    for column, role in roles.items():
        *_, numbers, _, dates = holds(con, table_name(table), column)
        kind = _kind(column, numbers, role, broken.get(column, []))
        if kind in ("date", "birth_date") and not dates and profile[column][2]:
            kind = "identifier"  # no level can be shown of dates that nothing reads
        rule = template.columns.get(kind or "")
        if rule is not None:
            with_rule = f"{_reason(role, broken.get(column, []))}; {rule.rule}"
            found[column] = replace(role, role=rule.role, reason=with_rule, recoding=rule.recoding_on(date.today()))
        elif role.role == "sensitive" and not template.diverse:
            found[column] = replace(role, role="kept", reason=f"{role.reason}; the rule has no l")
        else:
            found[column] = role
    return found


def template_notes(con: Any, source: str, template: Template, roles: Mapping[str, Role]) -> Iterator[str]:
    """Yield what to know about a template: its rule, and zip codes of areas with few people, if the table has some."""
    yield f"{template.title}. Template {template.name}, read on {template.date.isoformat()}."
    yield f"Source: {template.source}."
    yield f"Guarantee: {template.rule}."
    yield from template.notes
    areas = ", ".join(map(as_text, _SMALL_AREAS))
    for each in roles.values():
        if template.small_zip_areas and each.recoding == template.columns["zip"].recoding:
            column = quoted(each.column)
            rows = con.execute(_SMALL.format(table=source, column=column, areas=areas)).fetchall()[0][0]
            if rows:
                yield (
                    f"{each.column}: {how_many(rows, 'row')} in areas of at most 20,000 people; their digits must be 000, "
                    f"164.514(b)(2)(i)(B)(2). Release {_LARGE.format(column=column, areas=areas)}."
                )


def _kind(column: str, numbers: bool, role: Role, broken: list[tuple[str, str]]) -> str | None:
    """Return the kind of a column, one of `KINDS`; None where no rule is about it."""
    recognized = recognized_name(column)
    named = "" if recognized is None else recognized.kind
    paragraphs, reasons = {paragraph for paragraph, _ in broken}, {reason for _, reason in broken}
    if named == "postal code" or any(_ZIP.search(reason) for reason in reasons):
        return "zip"
    if numbers and (named == "age" or reasons & {*_AGES}):
        return "age"
    if numbers and named in ("date of birth", "year of birth"):
        return "birth_year"
    if role.reason in ("date", "date of birth") or _DATES & reasons:
        return "birth_date" if named == "date of birth" else "date"
    if paragraphs - {"(B)", "(C)"}:
        return "identifier"
    if "(B)" in paragraphs:
        return "place"
    if "(C)" in paragraphs:
        return "date_part" if (("(C)", "by its name") in broken) else "identifier"
    return "identifier" if role.role == "identifier" else None


def _reason(role: Role, broken: list[tuple[str, str]]) -> str:
    return broken[0][1] if role.reason == "nothing recognized" and broken else role.reason
