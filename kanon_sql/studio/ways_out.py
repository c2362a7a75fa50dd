"""What ends a refusal or a warning: other roles of the columns that it names, each a click."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial, reduce

from kanon_sql.model.how_many import how_many
from kanon_sql.model.validation import as_identifier
from kanon_sql.studio.draft import IDENTIFIER, KEPT, LINKABLE, NONE, PERSON, PSEUDONYM, QUASI_IDENTIFIER, Draft

_IDENTIFIES = ("singles out", "gives back", "is released unchanged and")
"""What follows the name of a column in refusals and warnings."""

_TOGETHER = "columns released unchanged together single out"
"""What a warning says of all columns that have no role, or that are released unchanged."""

_NO_ROLE = ("columns have no role and identify people", "has no role, and KEEP requires one", "has no role in the policy")
"""What a refusal says of all columns without a role."""

_EACH = 3
"""Columns that have buttons of their own; more have one for all of them."""

_ALL = {
    IDENTIFIER: "Drop these {}",
    QUASI_IDENTIFIER: "Make these {} quasi-identifiers",
    KEPT: "Release these {} unchanged",
    LINKABLE: "Permit the tokens of these {} to link rows",
}
"""The words of a button for several columns."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """A change of the draft, with the words of its button."""

    label: str
    change: Callable[[Draft], Draft]


def remedies(draft: Draft, text: str) -> list[Remedy]:
    """Return what ends a refusal or a warning about a draft.

    Parameters
    ----------
    text : str
        The words of the refusal or the warning.
    """
    by_role: dict[str, list[tuple[str, str]]] = {}
    for name in draft.columns:
        for label, role in ways_out(name, draft.role(name), text):
            by_role.setdefault(role, []).append((name, label))
    found = []
    for role, columns in by_role.items():
        if len(columns) > _EACH and role in _ALL:
            label = _ALL[role].format(how_many(len(columns), "column"))
            found.append(Remedy(label, partial(_with_roles, columns=[name for name, _ in columns], role=role)))
        else:
            found += [Remedy(label, partial(Draft.with_role, column=name, role=role)) for name, label in columns]
    if "repeats people" in text:
        found.append(Remedy("Each row is a different person", Draft.with_rows))
    return found


def _with_roles(draft: Draft, columns: list[str], role: str) -> Draft:
    return reduce(lambda changed, name: changed.with_role(name, role), columns, draft)


def ways_out(name: str, role: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield the roles that end what a text says of a column, each with the words of its button.

    Parameters
    ----------
    name, role : str
        The column, and its role in the draft.
    text : str
        The words of a refusal, or warnings.
    """
    spelled = as_identifier(name)
    if f"{spelled} repeats people" in text or f"count PER {spelled} if" in text:
        yield f"Count people by {name}", PERSON
        return
    if f"{spelled} (" in text and "look" in text and "of people" in text:
        yield f"Drop {name}", IDENTIFIER
        if role == NONE:
            yield f"Release {name} unchanged", KEPT
        return
    open_role = role == NONE and any(each in text for each in _NO_ROLE)
    alone = role in (NONE, KEPT) and any(f"{spelled} {what}" in text for what in _IDENTIFIES)
    together = role in (NONE, KEPT) and _TOGETHER in text
    if open_role or alone or together:
        yield f"Make {name} a quasi-identifier", QUASI_IDENTIFIER
    linked = role == PSEUDONYM and f"the tokens of {spelled} link" in text
    if open_role or linked or alone or together:
        yield f"Drop {name}", IDENTIFIER
    if open_role:
        yield f"Release {name} unchanged", KEPT
    if linked:
        yield f"Permit the tokens of {name} to link rows", LINKABLE
