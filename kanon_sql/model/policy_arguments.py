"""The parts of a policy from the names that every entrance of kanon-sql shares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from kanon_sql.errors import PolicyError, UnknownColumnError
from kanon_sql.model.linked_columns import Group
from kanon_sql.model.mask_costs import split_costs
from kanon_sql.model.masks import AtLevels, Mask
from kanon_sql.model.policy_options import UNSAID_K, thresholds
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.recoding_levels import joined
from kanon_sql.model.recodings import Generalization
from kanon_sql.model.requirements import (
    KAnonymity,
    KnownColumns,
    People,
    Requirement,
    known_ones,
    named_population,
    named_requirements,
    population_ones,
)
from kanon_sql.model.validation import by_name, named, refuse_twice, same_name

_SEARCH_AND_OUTPUT = ("algorithm", "time_limit", "effort", "seed", "max_suppressed", "suppress", "row_order", "unlisted_limit")


def policy_parts(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a policy from its options, each of which is there.

    Raises
    ------
    PolicyError
        When an option is no list that must be one, or names a column twice.
    """
    k, per, per_row, masks, linked = (given[name] for name in ("k", "per", "per_row", "masks", "linked"))
    _refuse_texts(quasi_identifiers=given["quasi_identifiers"], masks=masks, linked=linked, keep=given["keep"])
    if not isinstance(given["requirements"], Iterable):
        raise PolicyError("requirements must be a list; hint: write [KAnonymity(k=5)]")
    about = named_requirements(given["sensitive"], **thresholds(given))
    population = named_population(given["population"], k_map=given["k_map"], presence=given["presence"])
    others = (*population, *given["requirements"])
    requested: tuple[Requirement, ...]
    if given["known"] is not None:
        k = int(k) if k is UNSAID_K else k
        people = [k] if per is None else [People(k=k, per=per)]  # k people have k rows
        counted = [KAnonymity(k=1, per_row=True)] if per_row else []
        requested = (*counted, *(KnownColumns.against(each, given["known"]) for each in (*people, *about)))
    else:
        of_others = population_ones(others) or known_ones(others)
        if k is UNSAID_K:
            k = 1 if of_others else int(k)  # next to these, the rows of a class have no requirement
        rows = () if k == 1 and of_others and not per_row else (KAnonymity(k=k, per_row=per_row),)
        requested = (*rows, *([] if per is None else [People(k=k, per=per)]), *about)
    masks, costs = (None, None) if masks is None else split_costs(masks)
    permitted, groups = _lists_of_columns(masks, linked)
    return {
        "quasi_identifiers": _chosen_columns(
            given["quasi_identifiers"], permitted, given["weights"] or {}, given["recodings"] or {}
        ),
        "every_column": given["quasi_identifiers"] is None,
        "requirements": (*requested, *others),
        "masks": permitted,
        "mask_costs": costs,
        "linked": groups,
        "keep": None if given["keep"] is None else tuple(given["keep"]),
        **{name: given[name] for name in _SEARCH_AND_OUTPUT},
    }


def _refuse_texts(**lists: object) -> None:
    """Raise a PolicyError where a text, or what is no list either, stands in the place of a list."""
    for name, value in lists.items():
        if isinstance(value, str):
            raise PolicyError(f"{name} must be a list of names, not a string; hint: write ['zip', 'age']")
        if value is not None and not isinstance(value, Iterable):
            raise PolicyError(f"{name} must be a list of names, got {type(value).__name__}; hint: write ['zip', 'age']")


def _lists_of_columns(
    masks: Iterable[Iterable[str | AtLevels]] | None, linked: Iterable[Iterable[str]] | None
) -> tuple[tuple[Mask, ...] | None, tuple[Group, ...]]:
    """Return masks and linked groups as tuples.

    Raises
    ------
    PolicyError
        When one of them is no list.
    """
    masks, linked = None if masks is None else list(masks), list(linked or ())
    for lists, wanted in (
        (masks or (), "a mask must be a list of the columns it shows; hint: write [['zip', 'age'], []]"),
        (linked, "a linked group must be a list of columns; hint: write [['city', 'zip']]"),
    ):
        if not all(isinstance(each, Iterable) and not isinstance(each, str) for each in lists):
            raise PolicyError(wanted)
    permitted = None if masks is None else tuple(tuple(mask) for mask in masks)
    return permitted, tuple(tuple(group) for group in linked)


def _chosen_columns(
    quasi_identifiers: Iterable[str | QuasiIdentifier] | None,
    permitted: tuple[Mask, ...] | None,
    weights: Mapping[str, object],
    recodings: Mapping[str, Generalization],
) -> tuple[QuasiIdentifier, ...]:
    """Return the quasi-identifiers with their weights and recodings; levels that only masks name are permitted too.

    Raises
    ------
    PolicyError
        When a column is named twice, or a weight or recoding is about no quasi-identifier.
    """
    listed_qis = [
        each if isinstance(each, QuasiIdentifier) else QuasiIdentifier(column=named(each, "a quasi-identifier"))
        for each in quasi_identifiers or ()
    ]
    refuse_twice([qi.column for qi in listed_qis], "the quasi-identifiers")
    chosen = {same_name(qi.column): qi for qi in listed_qis}
    coarsened = {qi.column: qi.recoding for qi in listed_qis if qi.recoding is not None} | dict(recodings)
    spelled = {same_name(column): column for column in coarsened}
    for each in (each for mask in permitted or () for each in mask if isinstance(each, AtLevels)):
        column = spelled.setdefault(same_name(each.column), each.column)
        coarsened[column] = joined(coarsened.get(column, each.recoding), each.recoding)
    weighed = by_name(weights, "weights", "{'age': 3}")
    stated: tuple[tuple[str, Mapping[str, Any]], ...] = (("weight", weighed), ("recoding", coarsened))
    for what, given in stated:
        for column, own in given.items():
            key = same_name(named(column, f"a {what}"))
            if quasi_identifiers is not None and key not in chosen:
                names = [qi.column for qi in chosen.values()]
                raise UnknownColumnError.of(column, names, f"a {what}", "quasi-identifier")
            chosen[key] = replace(chosen.get(key, QuasiIdentifier(column=column)), **{what: own})
    return tuple(chosen.values())
