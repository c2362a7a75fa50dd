"""Why a release that keeps its guarantee may still be dangerous: sentences for the page, without a cell value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kanon_sql.model.how_many import how_many
from kanon_sql.model.printable import printable
from kanon_sql.model.unlisted import Limits
from kanon_sql.report.exposed import Exposed, LinkedTokens, Together
from kanon_sql.report.measured import Measured

_NAMED = 4
"""Columns that a sentence names."""

_REPORTED = 0.01
"""Share from which a column below the limits is a warning, as in the certificate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caution:
    """One reason."""

    text: str  # the figures, what they mean, and what to do
    # ``'columns'`` if it is about columns released unchanged, else ``'tokens'``, ``'same rows'``, ``'unique rows'``,
    # ``'people'`` or ``'identifiers'``
    kind: str
    decided: bool = False  # whether the policy names all columns that it is about


def cautions(facts: Measured) -> list[Caution]:
    """Return all reasons, the worst first; none for a table without rows."""
    if not facts.rows:
        return []
    return [
        *_of_people(facts),
        *_of_columns(facts.exposed),
        *_of_all(facts),
        *_of_tokens(facts),
        *_of_rows(facts),
        *_of_identifiers(facts),
    ]


def warnings(facts: Measured) -> list[str]:
    """Return what columns tell below the limits."""
    found = []
    for each in facts.exposed:
        if each.role != "token" and not each.singles_out and each.rows and each.single / each.rows >= _REPORTED:
            found.append(f"{printable(each.name)} singles out {_share(each.single, each.rows)}{_whose(each)}.")
        found += [
            f"{printable(each.name)} gives back {share:.1%} of the suppressed cells of {printable(name)}."
            for name, share in each.given_back
            if (name, share) not in each.undone
        ]
    return found


def first_sentences(facts: Measured) -> list[str]:
    """Return the cautions in a sentence or two: which columns, and whether that was decided."""
    if not facts.rows:
        return []
    single = [each for each in facts.exposed if each.singles_out]
    given = [each for each in facts.exposed if each.undone]
    found = list(_about_columns(single, given))
    together = None if found else _undoing(facts)
    if together is not None:
        found.append(f"{len(together.columns)} columns released unchanged together single people out.")
    if found and (together.decided if together is not None else all(each.decided for each in (*single, *given))):
        by = "KEEP" if all(each.role == "kept" for each in (*single, *given)) else "the policy"
        found.append(f"This is permitted: {by} lists {'the column' if len({*single, *given}) == 1 else 'the columns'}.")
    found += [_about_tokens(each) for each in facts.linked if each.singles_out]
    if facts.same_rows:
        found.append("The release has the same rows as the source: no cell was suppressed or generalized.")
    if (repeated := facts.unit.open) is not None:
        warning = f"k counts rows, not people, but {printable(repeated.column)} suggests that people have several rows."
        found.insert(0, warning)
    named = list(_identifiers(facts))
    if named:
        found.append(
            f"{_listed(named)} {'looks like an identifier' if len(named) == 1 else 'look like identifiers'} of people."
        )
    return found


def _about_columns(single: Sequence[Exposed], given: Sequence[Exposed]) -> Iterator[str]:
    single_out = f"{_one_or_many(single, 'singles', 'single')} people out"
    give_back = f"{_one_or_many(given, 'gives', 'give')} suppressed cells back"
    if single and given:
        yield f"{_released(single)} and {single_out}; {_listed(each.name for each in given)} {give_back}."
    elif single:
        yield f"{_released(single)} and {single_out}."
    elif given:
        yield f"{_released(given)} and {give_back}."


def _released(found: Sequence[Exposed]) -> str:
    return f"{_listed(each.name for each in found)} {_one_or_many(found, 'is', 'are')} released unchanged"


def _of_columns(found: Iterable[Exposed]) -> Iterator[Caution]:
    for each in found:
        name = printable(each.name)
        if each.singles_out:
            whose = _whose(each)
            finds = "finds these few rows" if whose else "finds the row"
            fact = (
                f"{name} alone singles out {_share(each.single, each.rows)}{whose}. Anyone who knows a person's value {finds}."
            )
            yield Caution(text=f"{fact} {_decision(each)}", kind="columns", decided=each.decided)
        for other, share in each.undone:
            fact = f"{name} gives back {share:.1%} of the suppressed cells of {printable(other)}."
            yield Caution(text=f"{fact} {_decision(each)}", kind="columns", decided=each.decided)


def _of_all(facts: Measured) -> Iterator[Caution]:
    together = _undoing(facts)
    if together is not None:
        what = f"The {len(together.columns)} columns {_listed(together.columns)} together single out"
        then = "The policy lists all of them." if together.decided else "Remove those that nobody needs."
        yield Caution(text=f"{what} {_share(together.single, together.rows)}. {then}", kind="columns", decided=together.decided)


def _of_tokens(facts: Measured) -> Iterator[Caution]:
    for each in facts.linked:
        if each.singles_out:
            risk = each.claimed
            earlier = f" and those of {risk.releases:,} earlier {'release' if risk.releases == 1 else 'releases'}"
            facts_of = (
                f"The tokens of {printable(risk.column)} link rows of this release{earlier if risk.releases else ''}.",
                f"Together, these rows single out {risk.alone:,} of {risk.people:,} people.",
                f"The smallest number of candidates is {risk.fewest:,}, but the guarantee requires {each.least:,}.",
                "The policy permits this: it marks the tokens as linkable." if each.linkable else "No policy permits that.",
            )
            yield Caution(text=" ".join(facts_of), kind="tokens", decided=each.linkable)


def _about_tokens(each: LinkedTokens) -> str:
    decided = " The policy permits this: it marks them as linkable." if each.linkable else ""
    return f"The tokens of {printable(each.counted.column)} link rows that together single people out.{decided}"


def _of_rows(facts: Measured) -> Iterator[Caution]:
    if facts.same_rows:
        yield Caution(text="Source and release have the same rows, so both reveal the same.", kind="same rows")
    unique = facts.sizes[1]["uniques"]
    if unique and facts.least == 1 and not facts.of_population:
        rows = how_many(unique, "row of the release is", "rows of the release are")
        yield Caution(
            text=f"{rows} unique in the quasi-identifiers, which the guarantee permits. Choose k >= 2 or larger.",
            kind="unique rows",
        )


def _of_people(facts: Measured) -> Iterator[Caution]:
    unit = facts.unit
    if (repeated := unit.open) is not None:
        name = printable(repeated.column)
        counted = f"k >= {unit.least}" if unit.per is None else f"k >= {unit.least} PER {printable(unit.per)}"
        agree = _listed(repeated.shared)
        fact, person = f"{name} repeats people: rows that share its value agree on {agree}.", f"PER {name}"
        if len(repeated.columns) > 1:
            fact = f"{_listed(repeated.columns)} repeat people together: rows that share both values agree on {agree}."
            person = "PER one column that joins both"
        facts_of = [
            fact,
            f"{counted} counts rows, not people: {repeated.people:,} people have {repeated.rows:,} rows.",
            f"Release again with k >= {unit.least} {person}, or with PER ROW if each row is a person.",
        ]
        if unit.fewest is not None and unit.fewest[1] < unit.least:
            facts_of.insert(2, f"A class has rows from only {how_many(unit.fewest[1], 'person', 'people')}.")
        yield Caution(text=" ".join(facts_of), kind="people")


def _of_identifiers(facts: Measured) -> Iterator[Caution]:
    roles = {each.name: each for each in facts.exposed}
    for name in _identifiers(facts):
        fact = f"{printable(name)} looks like an identifier of people ({facts.identifiers[name]})."
        each = roles.get(name)
        if each is None:
            what = "It is a quasi-identifier: remove it."
        else:
            what = _decision(each) if each.decided else "Remove it, or release it on purpose by listing it in KEEP."
        yield Caution(text=f"{fact} {what}", kind="identifiers", decided=each is not None and each.decided)


def _identifiers(facts: Measured) -> Iterator[str]:
    """Yield the released columns that look like identifiers, but for those that are known to single people out."""
    single = {each.name for each in facts.exposed if each.singles_out}
    return (name for name in facts.identifiers if name not in single)


def _undoing(facts: Measured) -> Together | None:
    """Return the columns that undo the guarantee together; None if one of them does so alone, or none do."""
    together = facts.together
    if together is None or not together.singles_out or any(each.singles_out for each in facts.exposed):
        return None
    return together


def _decision(each: Exposed) -> str:
    if each.role == "kept":
        return "The policy permits this: KEEP lists it."
    if each.role == "token":
        return "The policy permits this: it releases its tokens."
    if each.role == "sensitive":
        return "The policy permits this: it is a sensitive column."
    return "Remove it, make it a quasi-identifier, or release it on purpose by listing it in KEEP."


def _whose(each: Exposed) -> str:
    """Return who shares the values that single people out, if not one row alone."""
    return Limits.in_words(each.shared, ": {}", people=each.people)


def _share(single: int, rows: int) -> str:
    return f"{single:,} of {how_many(rows, 'row')} ({single / rows:.1%})"


def _listed(names: Iterable[str]) -> str:
    found = [printable(name) for name in names]
    if len(found) > _NAMED:
        found = [*found[: _NAMED - 1], f"{len(found) - _NAMED + 1} others"]
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} and {found[-1]}"


def _one_or_many(found: Sequence[Exposed], one: str, many: str) -> str:
    return one if len(found) == 1 else many
