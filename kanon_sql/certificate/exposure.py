"""What a release reveals by the columns that it leaves unchanged, in words without values, and when that is too much."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kanon_sql.errors import UnlistedColumnError
from kanon_sql.model.policy import Policy
from kanon_sql.model.unlisted import Limits
from kanon_sql.model.validation import as_identifier, same_name

_SINGLED_OUT = 0.01
"""Share of the rows from which on a column is said to single them out."""

_GIVEN_BACK = 0.01
"""The same of the suppressed cells of a quasi-identifier that come back."""

WRONG = 0.05
"""Share of wrong guesses up to which an attacker may rely on them."""


def unchanged_columns(told: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the columns that are released unchanged, and about which nothing is guaranteed.

    Parameters
    ----------
    told : mapping
        The counts of ``exposure.sql``.
    """
    return tuple((told["names"] or ())[:-2])  # the last are a constant and the number of rows; an empty table has none


def refuse_unlisted(told: Mapping[str, Any], policy: Policy, *, released: bool = True) -> None:
    """Raise if columns without a role reveal too much; every share in the message is counted exactly.

    Parameters
    ----------
    told, policy, released
        As for `warnings_of`.

    Raises
    ------
    UnlistedColumnError
        Naming the columns, what they reveal, and the ways out.
    """
    if policy.keep is not None or not told["names"]:
        return
    limits = Limits(policy.unlisted_limit)
    names = unchanged_columns(told)
    again = set(told["suspects"] or ())
    parted = told["parts"] > 1
    single = {each["i"]: each["single"] for each in (told["exact_single"] if parted else told["single"]) or ()}
    found: dict[str, list[str]] = {}
    for place, name in enumerate(names, 1):
        if (not parted or place in again) and limits.singled_out(single.get(place, 0), told["rows"]):
            found.setdefault(name, []).append(f"singles out {_share(single[place], told['rows'])} of the rows")
    given = told["exact_guessed"] if parted else told["guessed"]
    hidden = told["exact_hidden"] if parted else told["hidden"]
    for (i, j), share in sorted(_given_back(given, hidden).items()):
        if share > limits.most:
            does, cells = _words(released)
            other = as_identifier(policy.quasi_identifiers[j].column)
            found.setdefault(names[i], []).append(f"{does} {share:.1%} of the {cells} of {other}")
    if found:
        raise UnlistedColumnError.of({as_identifier(name): " and ".join(each) for name, each in found.items()})
    if len(names) > 1 and single.get(0, 0) > limits.most * told["rows"]:
        together = f"together single out {_share(single[0], told['rows'])} of the rows"
        raise UnlistedColumnError.of_all([as_identifier(name) for name in names], together)


def warnings_of(told: Mapping[str, Any], policy: Policy, *, released: bool = True) -> tuple[str, ...]:
    """Return what the unchanged columns reveal.

    Parameters
    ----------
    told : mapping
        As for `unchanged_columns`.
    policy : Policy
        With its quasi-identifiers named.
    released : bool
        Whether cells were suppressed already; else all of them count.
    """
    return (*_single(told, policy), *_guessed(told, policy, released)) if told["names"] else ()


def _single(told: Mapping[str, Any], policy: Policy) -> Iterator[str]:
    """Yield the columns that single rows out, each alone, and those without a role together."""
    names = unchanged_columns(told)
    share = {each["i"]: each["single"] / each["rows"] for each in told["single"] or ()}
    about = "about " if told["parts"] > 1 else ""
    for place, name in enumerate(names, 1):
        if share.get(place, 0) >= _SINGLED_OUT:
            yield f"{as_identifier(name)} is released unchanged and singles out {about}{share[place]:.1%} of the rows"
    if policy.keep is None and share.get(0, 0) >= _SINGLED_OUT and len(names) > 1:
        yield f"the {len(names)} columns released unchanged together single out {about}{share[0]:.1%} of the rows"


def _guessed(told: Mapping[str, Any], policy: Policy, released: bool) -> Iterator[str]:
    """Yield the columns that give suppressed cells back, each with the quasi-identifier whose cells they are."""
    names = unchanged_columns(told)
    does, cells = _words(released)
    about = "about " if told["parts"] > 1 else ""
    for (i, j), share in sorted(shares_given_back(told).items()):
        column, other = as_identifier(names[i]), as_identifier(policy.quasi_identifiers[j].column)
        yield f"{column} is released unchanged and {does} {about}{share:.1%} of the {cells} of {other}"


def _words(released: bool) -> tuple[str, str]:
    return ("gives back", "suppressed cells") if released else ("would give back", "cells")


def _share(single: int, rows: int) -> str:
    return f"{single / rows:.1%}"


def shares_given_back(told: Mapping[str, Any]) -> dict[tuple[int, int], float]:
    """Return by the places of an unchanged column and a quasi-identifier, from 0, the share of hidden cells that come back.

    Notes
    -----
    Only where the guesses of an attacker are right, and better than the commonest value, and not of a few cells alone.
    """
    return _given_back(told["guessed"], told["hidden"])


def _given_back(guessed: Any, counted: Any) -> dict[tuple[int, int], float]:
    hidden = {each["j"]: each for each in counted or ()}
    found: dict[tuple[int, int], float] = {}
    for each in guessed or ():
        pair, common = (each["i"] - 1, each["j"] - 1), hidden[each["j"]]["common"]
        for hit, miss in ((each["hit"], each["miss"]), (each["hit_of_five"], each["miss_of_five"])):
            wrong = miss / (hit + miss) if hit + miss else 1.0
            share = hit / each["cells"] if each["cells"] else 0.0
            if common < 1 and wrong <= min(WRONG, (1 - common) / 2) and share >= _GIVEN_BACK:
                found[pair] = max(found.get(pair, 0.0), share)
    return found
