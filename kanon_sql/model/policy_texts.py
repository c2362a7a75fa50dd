"""A policy as text: its fields as canonical JSON, and back, and a few lines for people."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from kanon_sql.errors import PolicyError
from kanon_sql.model import masks as forms
from kanon_sql.model.mask_costs import split_costs, with_costs
from kanon_sql.model.policy_checks import EFFORTS
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.requirements import requirement_from_json
from kanon_sql.model.validation import as_identifier, known_keys, listed, parsed, plain_number

_MAX_NAMES = 8
"""Columns that a line names."""


def policy_fields(text: str, known: set[str]) -> dict[str, Any]:
    """Return the fields that a JSON text gives; unknown keys are an error."""
    data = known_keys(parsed(text, "the policy"), known, "the policy")
    if "quasi_identifiers" in data:
        data["quasi_identifiers"] = tuple(
            QuasiIdentifier(**known_keys(item, {*QuasiIdentifier.__dataclass_fields__}, "a quasi-identifier", ["column"]))
            for item in listed(data["quasi_identifiers"], "quasi_identifiers")
        )
    if "requirements" in data:
        data["requirements"] = tuple(requirement_from_json(item) for item in listed(data["requirements"], "requirements"))
    if data.get("masks") is not None:
        masks, data["mask_costs"] = split_costs(listed(data["masks"], "masks"))
        data["masks"] = tuple(map(forms.from_json, masks))
    if "linked" in data:
        data["linked"] = tuple(tuple(listed(group, "a linked group")) for group in listed(data["linked"], "linked"))
    if data.get("keep") is not None:
        data["keep"] = tuple(listed(data["keep"], "keep"))
    for role in ("pseudonyms", "linkable"):
        if role in data:
            data[role] = tuple(listed(data[role], role))
    if not isinstance(data.get("every_column", False), bool):
        raise PolicyError("every_column must be true or false")
    return data


def policy_text(fields: Mapping[str, Any]) -> str:
    """Return the canonical JSON text of the fields of a policy: sorted keys, no spaces, exact weights.

    Notes
    -----
    Without pseudonyms, or a requested effort, the text does not name them: it is the same as before there were any.
    """
    keep, most_suppressed = fields["keep"], fields["max_suppressed"]
    masks = None if fields["masks"] is None else [forms.to_json(mask) for mask in fields["masks"]]
    costs = fields["mask_costs"]
    data = {
        **fields,
        "quasi_identifiers": [qi.to_json() for qi in fields["quasi_identifiers"]],
        "requirements": [requirement.to_json() for requirement in fields["requirements"]],
        "masks": masks if costs is None else with_costs(masks or (), costs),
        "linked": [list(group) for group in fields["linked"]],
        "keep": None if keep is None else list(keep),
        "unlisted_limit": plain_number(fields["unlisted_limit"]),
        "max_suppressed": None if most_suppressed is None else plain_number(most_suppressed),
    }
    del data["mask_costs"]  # each stands at its mask
    for role in ("pseudonyms", "linkable"):
        if not fields[role]:
            del data[role]
    if fields["effort"] == EFFORTS[0]:
        del data["effort"]
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def lines(figures: Mapping[str, str]) -> str:
    """Return the figures, a line each; an empty one has none."""
    return "\n".join(f"{name:<18}{text}" for name, text in figures.items() if text)


def names(columns: Iterable[str]) -> str:
    """Return names of columns as SQL spells them; of many the first, and how many more there are."""
    spelled = [as_identifier(column) for column in columns]
    more = len(spelled) - _MAX_NAMES
    return ", ".join(spelled[:_MAX_NAMES]) + (f" and {more} more" if more > 0 else "")
