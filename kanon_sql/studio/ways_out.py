"""What ends a refusal or a warning: other roles of the column that it names."""

from __future__ import annotations

from collections.abc import Iterator

from kanon_sql.model.validation import as_identifier
from kanon_sql.studio.draft import IDENTIFIER, KEPT, LINKABLE, NONE, PERSON, PSEUDONYM, QUASI_IDENTIFIER

_IDENTIFIES = ("singles out", "gives back", "is released unchanged and")
"""What follows the name of a column in refusals and warnings."""


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
    open_role = f'the column "{name}" has no role' in text
    if open_role or (role in (NONE, KEPT) and any(f"{spelled} {what}" in text for what in _IDENTIFIES)):
        yield f"Make {name} a quasi-identifier", QUASI_IDENTIFIER
    linked = role == PSEUDONYM and f"the tokens of {spelled} link" in text
    if open_role or linked:
        yield f"Drop {name}", IDENTIFIER
    if open_role:
        yield f"Release {name} unchanged", KEPT
    if linked:
        yield f"Permit the tokens of {name} to link rows", LINKABLE
