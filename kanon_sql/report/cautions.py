"""Why a release that keeps its guarantee may still be dangerous: sentences for the page, without a cell value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kanon_sql.model.how_many import how_many
from kanon_sql.model.unlisted import Limits
from kanon_sql.report.exposed import Exposed, Together
from kanon_sql.report.linked import LinkedTokens
from kanon_sql.report.measured import Measured
from kanon_sql.report.text import printable

_NAMED = 4
"""Columns that a sentence names."""

_TOLD = 0.01
"""Share from which a column below the limits is a warning, as in the certificate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caution:
    """One reason.

    Attributes
    ----------
    text : str
        The figures, what they mean, and what to do.
    kind : str
        ``'columns'`` if it is about columns released unchanged, else ``'tokens'``, ``'same rows'``, ``'unique rows'`` or
        ``'people'``.
    decided : bool
        Whether the policy names all columns that it is about.
    """

    text: str
    kind: str
    decided: bool = False


def cautions(facts: Measured) -> list[Caution]:
    """Return all reasons, the worst first; none for a table without rows."""
    if not facts.rows:
        return []
    return [*_of_columns(facts.exposed), *_of_all(facts), *_of_tokens(facts), *_of_rows(facts), *_of_people(facts)]


def warnings(facts: Measured) -> list[str]:
    """Return what columns tell below the limits."""
    found = []
    for each in facts.exposed:
        if each.role != "token" and not each.singles_out and each.rows and each.single / each.rows >= _TOLD:
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
        found.append(f"This is permitted: {by} names {'the column' if len({*single, *given}) == 1 else 'the columns'}.")
    found += [_about_tokens(each) for each in facts.linked if each.singles_out]
    if facts.same_rows:
        found.append("The release has the same rows as the source: no cell was suppressed or generalized.")
    repeated = [each for each in facts.exposed if _repeats(each, facts)]
    if repeated:
        suggest = f"{_listed(each.name for each in repeated)} {_one_or_many(repeated, 'suggests', 'suggest')}"
        found.append(f"k counts rows, not people, and {suggest} that people have several rows.")
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
        then = "The policy names all of them." if together.decided else "Leave out those that nobody needs."
        yield Caution(text=f"{what} {_share(together.single, together.rows)}. {then}", kind="columns", decided=together.decided)


def _of_tokens(facts: Measured) -> Iterator[Caution]:
    for each in facts.linked:
        if each.singles_out:
            risk = each.claimed
            earlier = f" and those of {risk.releases:,} earlier {'release' if risk.releases == 1 else 'releases'}"
            facts_of = (
                f"The tokens of {printable(risk.column)} link rows of this release{earlier if risk.releases else ''}.",
                f"By what these rows show together, {risk.alone:,} of {risk.people:,} people are alone.",
                f"The fewest candidates of a person are {risk.fewest:,}, the guarantee asks for {each.least:,}.",
                "The policy permits this: it calls the tokens linkable." if each.linkable else "No policy permits that.",
            )
            yield Caution(text=" ".join(facts_of), kind="tokens", decided=each.linkable)


def _about_tokens(each: LinkedTokens) -> str:
    decided = " The policy permits this: it calls them linkable." if each.linkable else ""
    return f"The tokens of {printable(each.counted.column)} link rows, and these single people out together.{decided}"


def _of_rows(facts: Measured) -> Iterator[Caution]:
    if facts.same_rows:
        yield Caution(text="Source and release have the same rows, so both reveal the same.", kind="same rows")
    unique = facts.sizes[1]["uniques"]
    if unique and facts.least == 1 and not facts.of_population:
        rows = how_many(unique, "row of the release is", "rows of the release are")
        yield Caution(
            text=f"{rows} unique in the quasi-identifiers, and the guarantee permits it. Choose k >= 2, or a larger k.",
            kind="unique rows",
        )


def _of_people(facts: Measured) -> Iterator[Caution]:
    for each in facts.exposed:
        if _repeats(each, facts):
            name = printable(each.name)
            values = how_many(each.fewest or 0, "value")
            facts_of = (
                f"The values of {name} repeat, and rows that share one agree in the quasi-identifiers.",
                "If a person has several rows, these also agree.",
                f"Some class has only {values} of {name}, but k counts rows.",
                f"If {name} tells people apart, name it in PER.",
            )
            yield Caution(text=" ".join(facts_of), kind="people")


def _undoing(facts: Measured) -> Together | None:
    """Return the columns that undo the guarantee together; None if one of them does so alone, or none do."""
    together = facts.together
    if together is None or not together.singles_out or any(each.singles_out for each in facts.exposed):
        return None
    return together


def _repeats(each: Exposed, facts: Measured) -> bool:
    return each.fewest is not None and each.fewest < facts.least


def _decision(each: Exposed) -> str:
    if each.role == "kept":
        return "The policy permits this: KEEP names it."
    if each.role == "token":
        return "The policy permits this: it releases its tokens."
    if each.role == "sensitive":
        return "The policy permits this: it is a sensitive column."
    return "Leave it out, make it a quasi-identifier, or decide to release it by naming it in KEEP."


def _whose(each: Exposed) -> str:
    """Return who shares the values that single people out, if not one row alone."""
    return Limits.told(each.shared, ": {}", people=each.people)


def _share(single: int, rows: int) -> str:
    return f"{single:,} of {how_many(rows, 'row')} ({single / rows:.1%})"


def _listed(names: Iterable[str]) -> str:
    found = [printable(name) for name in names]
    if len(found) > _NAMED:
        found = [*found[: _NAMED - 1], f"{len(found) - _NAMED + 1} others"]
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} and {found[-1]}"


def _one_or_many(found: Sequence[Exposed], one: str, many: str) -> str:
    return one if len(found) == 1 else many
