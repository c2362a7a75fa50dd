"""What a release tells by the columns that it leaves unchanged, in words without values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kanon_sql.model.policy import Policy
from kanon_sql.model.validation import as_identifier, same_name

_SINGLED_OUT = 0.01
"""Share of the rows from which on a column is said to single them out."""

_GIVEN_BACK = 0.01
"""The same of the suppressed cells of a quasi-identifier that come back."""

_WRONG = 0.05
"""Share of wrong guesses up to which a reader may rely on them."""


def unchanged_columns(told: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the columns that are released as they are, and about which nothing is guaranteed.

    Parameters
    ----------
    told : mapping
        The counts of ``exposure.sql``.
    """
    return tuple((told["names"] or ())[:-2])  # the last are a constant and the number of rows; an empty table has none


def warnings_of(told: Mapping[str, Any], policy: Policy, *, released: bool = True) -> tuple[str, ...]:
    """Return what the unchanged columns tell.

    Parameters
    ----------
    told : mapping
        As for `unchanged_columns`.
    policy : Policy
        With its quasi-identifiers named.
    released : bool
        Whether cells were suppressed already; else all of them count.
    """
    return (*_single(told, policy), *_given_back(told, policy, released)) if told["names"] else ()


def _single(told: Mapping[str, Any], policy: Policy) -> Iterator[str]:
    """Yield the columns without a role that single rows out, each alone and all together."""
    names = unchanged_columns(told)
    kept = set(map(same_name, policy.keep or ()))
    share = {each["i"]: each["single"] / each["rows"] for each in told["single"] or ()}
    about = "about " if told["parts"] > 1 else ""
    for place, name in enumerate(names, 1):
        if same_name(name) not in kept and share.get(place, 0) >= _SINGLED_OUT:
            yield f"{as_identifier(name)} is released unchanged and singles out {about}{share[place]:.1%} of the rows"
    if policy.keep is None and share.get(0, 0) >= _SINGLED_OUT and len(names) > 1:
        yield f"the {len(names)} columns released unchanged together single out {about}{share[0]:.1%} of the rows"


def _given_back(told: Mapping[str, Any], policy: Policy, released: bool) -> Iterator[str]:
    """Yield the columns that tell suppressed cells, each with the quasi-identifier that it tells."""
    names = unchanged_columns(told)
    cells = "suppressed cells" if released else "cells"
    does = "gives back" if released else "would give back"
    about = "about " if told["parts"] > 1 else ""
    for (i, j), share in sorted(shares_given_back(told).items()):
        column, other = as_identifier(names[i]), as_identifier(policy.quasi_identifiers[j].column)
        yield f"{column} is released unchanged and {does} {about}{share:.1%} of the {cells} of {other}"


def shares_given_back(told: Mapping[str, Any]) -> dict[tuple[int, int], float]:
    """Return by the places of an unchanged column and a quasi-identifier, from 0, the share of hidden cells that come back.

    Notes
    -----
    Only where the guesses of a reader are right, and better than the commonest value, and not of a few cells alone.
    """
    hidden = {each["j"]: each for each in told["hidden"] or ()}
    found: dict[tuple[int, int], float] = {}
    for each in told["guessed"] or ():
        pair, common = (each["i"] - 1, each["j"] - 1), hidden[each["j"]]["common"]
        for hit, miss in ((each["hit"], each["miss"]), (each["hit_of_five"], each["miss_of_five"])):
            wrong = miss / (hit + miss) if hit + miss else 1.0
            share = hit / each["cells"] if each["cells"] else 0.0
            if common < 1 and wrong <= min(_WRONG, (1 - common) / 2) and share >= _GIVEN_BACK:
                found[pair] = max(found.get(pair, 0.0), share)
    return found
