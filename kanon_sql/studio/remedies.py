"""What ends a refusal of a table of counts by one click: another form, or another answer to who is a row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.model.validation import as_identifier
from kanon_sql.studio.counted_table import CountedTable
from kanon_sql.studio.counts import UNKNOWN, CountForm, widths
from kanon_sql.studio.draft import PERSON

if TYPE_CHECKING:
    from kanon_sql.studio.draft import Draft

_CHANGING = """SELECT system.main.count(*) FROM (
    SELECT {person} FROM {table} WHERE {person} IS NOT NULL GROUP BY {person}
    HAVING system.main.min({key}) IS DISTINCT FROM system.main.max({key})
        OR system.main.count({key}) BETWEEN 1 AND system.main.count(*) - 1)"""
"""The people whose rows have several values of a key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """Another table that is not refused for the same reason."""

    words: str  # of its button
    form: CountForm | None = None  # the form, if it changes
    draft: Draft | None = None  # the statement with another answer to who is a row
    discards: bool = False  # whether the tables that were not saved are forgotten


def plain_words(table: CountedTable) -> str:
    """Return why a table was refused, without what only helps those who write SQL."""
    return (table.words or "").partition("; hint:")[0].replace("; nothing was released", "")


def remedies(table: CountedTable, draft: Draft, *, discardable: bool) -> list[Remedy]:
    """Return what ends the refusal of a table; empty if only the person knows.

    Parameters
    ----------
    table : CountedTable
        The refused table.
    draft : Draft
        The statement as it is now.
    discardable : bool
        Whether earlier tables of this session can be forgotten.
    """
    text, form = table.words or "", table.form
    found = [*_about_people(table, draft, text), *_about_keys(table, text)]
    if "earlier protected table" in text and discardable:
        found.append(Remedy(words="Forget the tables that were not saved", discards=True))
    if form.measure is not None and f"the sum {form.total}" in text:
        found.append(Remedy(words=f"Leave out the sum of {form.measure}", form=replace(form, measure=None)))
    if not found and len(form.keys) > 1:
        distinct = {each.name: each.distinct for each in table.source.profile}
        largest = max(form.keys, key=distinct.__getitem__)
        found.append(Remedy(words=f"Leave out {largest}", form=form.without([largest])))
    return found


def _about_people(table: CountedTable, draft: Draft, text: str) -> Iterator[Remedy]:
    named = next((name for name in table.source.columns if f"{as_identifier(name)} repeats people" in text), None)
    if named is not None:
        yield Remedy(words=f"Count people by {named}", draft=draft.with_role(named, PERSON))
        yield Remedy(words="Each row is a different person", draft=draft.with_rows())
    if "rows with different keys" in text and table.policy.people is not None:
        changing = _changing(table, table.policy.people.per)
        if changing and len(changing) < len(table.form.keys):
            listed = " and ".join(f"{name} (it changes for {people:,} people)" for name, people in changing.items())
            yield Remedy(words=f"Leave out {listed}", form=table.form.without(changing))


def _changing(table: CountedTable, person: str) -> dict[str, int]:
    """Return the keys with several values for the same person, each with how many people have several."""
    con, found = table.source.con.cursor(), dict[str, int]()
    for name, key in table.form.expressions(table.source).items():
        query = _CHANGING.format(person=quoted(person), table=quoted(table.source.name), key=key)
        found[name] = int(con.execute(query).fetchall()[0][0])
    return {name: people for name, people in found.items() if people}


def _about_keys(table: CountedTable, text: str) -> Iterator[Remedy]:
    form = table.form
    for name in form.keys:
        spelled = as_identifier(name)
        if f"the key {spelled} has NULLs" in text:
            yield Remedy(words=f"Count empty cells as '{UNKNOWN}'", form=replace(form, unknown=True))
        singles = f"the key {spelled} singles out" in text
        if singles:
            wider = [width for width in widths(table.source, name) if width != form.widths.get(name)]
            for width in wider:
                words = f"Count {name} by {width}" if width.isalpha() else f"Count {name} in groups of {width}"
                yield Remedy(words=words, form=replace(form, widths={**form.widths, name: width}))
        if (singles or f"{spelled} (" in text) and len(form.keys) > 1:
            yield Remedy(words=f"Leave out {name}", form=form.without([name]))
