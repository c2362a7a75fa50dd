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

_WRONG = 0.05
"""Share of wrong guesses up to which an attacker may rely on them."""


def unchanged_columns(told: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the columns that are released unchanged, and about which nothing is guaranteed.

    Parameters
    ----------
    told : mapping
        The counts of ``exposure.sql``.
    """
    return tuple(told["names"] or ())  # an empty table has none


def refuse_unlisted(told: Mapping[str, Any], policy: Policy, *, released: bool = True) -> None:
    """Raise if columns without a role reveal too much.

    Parameters
    ----------
    told, policy, released
        As for `warnings_of`.

    Raises
    ------
    UnlistedColumnError
        Naming the columns, what they reveal, and the ways out.

    Notes
    -----
    Whatever is refused was counted in the whole table: a part of a large one only finds the columns to count.
    """
    if policy.keep is not None or not told["names"]:
        return
    limits = Limits(policy.unlisted_limit)
    names = unchanged_columns(told)
    rows = told["rows"]
    single = {i: count for i, (count, _) in _singled_out(told, policy).items() if told["whole"][i]}
    found: dict[str, list[str]] = {}
    for place, name in enumerate(names, 1):
        if limits.singled_out(single.get(place, 0), rows):
            found.setdefault(name, []).append(f"singles out {single[place] / rows:.1%} of the rows")
    for (i, j), share in sorted(shares_given_back(told).items()):
        if share > limits.most:
            other = as_identifier(policy.quasi_identifiers[j].column)
            found.setdefault(names[i], []).append(f"{_words(share, released)} of {other}")
    if found:
        raise UnlistedColumnError.of({as_identifier(name): " and ".join(each) for name, each in found.items()})
    if single.get(0, 0) > limits.most * rows:
        together = f"together single out {single[0] / rows:.1%} of the rows"
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
    """Yield the columns that single rows out, each alone, and those without a role together.

    Notes
    -----
    Nobody knows a person's token who does not have the secret. What tokens link is counted apart.
    """
    names, tokens = unchanged_columns(told), set(map(same_name, policy.pseudonyms))
    shares = {i: count / rows for i, (count, rows) in _singled_out(told, policy).items()}
    counted = {i: f"{'' if told['whole'][i] else 'about '}{share:.1%}" for i, share in shares.items() if share >= _SINGLED_OUT}
    for place, name in enumerate(names, 1):
        if place in counted and same_name(name) not in tokens:
            yield f"{as_identifier(name)} is released unchanged and singles out {counted[place]} of the rows"
    if policy.keep is None and 0 in counted:
        yield f"the {len(names)} columns released unchanged together single out {counted[0]} of the rows"


def _singled_out(told: Mapping[str, Any], policy: Policy) -> dict[int, tuple[int, int]]:
    """Return by the place of a column, 0 for all together, how many rows it singles out, and of how many.

    Notes
    -----
    Where people are counted, values that only one of them has single that person out, in however many rows. Tokens follow
    people, so of them, and of all columns together with them, only single rows count.
    """
    tokens = {same_name(name) for name in policy.pseudonyms}
    linked = {place for place, name in enumerate(unchanged_columns(told), 1) if same_name(name) in tokens}
    rowwise = linked | {0} if linked else linked
    return {each["i"]: (each["single" if each["i"] in rowwise else "lone"], each["rows"]) for each in told["single"] or ()}


def _guessed(told: Mapping[str, Any], policy: Policy, released: bool) -> Iterator[str]:
    """Yield the columns that give suppressed cells back, each with the quasi-identifier whose cells they are."""
    names = unchanged_columns(told)
    exact = {(each["i"] - 1, each["j"] - 1) for each in told["guessed"] or () if each["exact"]}
    for (i, j), share in sorted(shares_given_back(told).items()):
        column, other = as_identifier(names[i]), as_identifier(policy.quasi_identifiers[j].column)
        yield f"{column} is released unchanged and {_words(share, released, exact=(i, j) in exact)} of {other}"


def _words(share: float, released: bool, *, exact: bool = True) -> str:
    """Return what a column does, and to which cells."""
    does, cells = ("gives back", "suppressed cells") if released else ("would give back", "cells")
    return f"{does} {'' if exact else 'about '}{share:.1%} of the {cells}"


def shares_given_back(told: Mapping[str, Any]) -> dict[tuple[int, int], float]:
    """Return by the places of an unchanged column and a quasi-identifier, from 0, the share of hidden cells that come back.

    Notes
    -----
    Only where the guesses of an attacker are right, and better than the commonest value, and not of a few cells alone.
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
