"""What may be done with rows that an append comes upon."""

from __future__ import annotations

from collections.abc import Mapping

from kanon_sql.errors import PolicyError

APPEND_CHOICES: Mapping[str, tuple[str, ...]] = {
    "leftover": ("wait", "suppress"),
    "changed": ("refuse", "ignore"),
    "deleted": ("refuse", "ignore"),
    "returning": ("refuse", "wait", "release"),
}
"""The values of each option; the first is the default."""

APPEND_DEFAULTS: Mapping[str, str] = {name: values[0] for name, values in APPEND_CHOICES.items()}


def append_choices(given: Mapping[str, str]) -> dict[str, str]:
    """Return the value of each option, the default where none is given.

    Raises
    ------
    PolicyError
        When an option has no such value.
    """
    chosen = {**APPEND_DEFAULTS, **given}
    for name, value in chosen.items():
        if value not in APPEND_CHOICES[name]:
            known = APPEND_CHOICES[name]
            raise PolicyError(f"{name} must be one of {', '.join(known)}; hint: use {known[0]!r}, the default")
    return chosen
