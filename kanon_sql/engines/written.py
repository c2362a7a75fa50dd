"""Recodings and masks that are given as texts, as the clause writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from kanon_sql.model.masks import AtLevels
from kanon_sql.model.policy_options import PolicyOptions
from kanon_sql.model.recodings import Generalization
from kanon_sql.model.validation import by_name

_AT_LEVELS = re.compile(
    r"(.+?)\s+(?:IN\s+(?=(?:DIGITS|INTERVALS|CUTS|HIERARCHY)\b)|(?=(?:TOP|BOTTOM)\s+-?[0-9.]))(.*)", re.IGNORECASE | re.DOTALL
)
"""A column of a mask at some of its levels, such as ``zip IN DIGITS (3)`` or ``age TOP 90``; no column can be called so."""


def read_options(options: PolicyOptions[str | Generalization]) -> PolicyOptions[Generalization]:
    """Return options whose masks and recodings are read.

    Raises
    ------
    PolicyError
        When one cannot be read.
    """
    masks, recodings = read_masks(options.get("masks")), read_recodings(options.get("recodings"))
    return cast("PolicyOptions[Generalization]", {**options, "masks": masks, "recodings": recodings})


def read_recodings(recodings: Mapping[str, str | Generalization] | None) -> dict[str, Generalization]:
    """Return recodings by column, those that are texts read as the clause writes them.

    Raises
    ------
    PolicyError
        When one cannot be read.
    """
    if not by_name(recodings, "recodings", "{'zip': 'DIGITS'}"):
        return {}
    from kanon_sql.clause import recodings_of  # sqlglot is only loaded where there is something to read

    return recodings_of(recodings or {})


def read_masks(masks: Any) -> Any:
    """Return masks in which a text such as ``zip IN DIGITS (3)`` has become a column at these levels.

    Whatever is no list of lists of texts stays as it is: the policy says what is wrong with it.

    Raises
    ------
    PolicyError
        When levels cannot be read.
    """
    if isinstance(masks, str) or not isinstance(masks, Iterable):
        return masks
    return [_read_mask(mask) for mask in masks]


def _read_mask(mask: Any) -> Any:
    if isinstance(mask, Mapping):
        return {key: _read_mask(value) if key == "columns" else value for key, value in mask.items()}
    return [_read(each) for each in mask] if isinstance(mask, Iterable) and not isinstance(mask, str) else mask


def _read(shown: Any) -> Any:
    found = _AT_LEVELS.fullmatch(shown) if isinstance(shown, str) else None
    if found is None:
        return shown
    column, levels = found.groups()
    return AtLevels(column=column, recoding=read_recodings({column: levels})[column])
