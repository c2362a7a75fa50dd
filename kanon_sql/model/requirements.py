"""What every equivalence class of a release has to meet.

Each requirement is kept when classes that meet it are merged, so a release that fails can always be coarsened until it
holds, or no release holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, replace
from typing import Any

from kanon_sql.errors import PolicyError, hint_of
from kanon_sql.model.alpha_anonymity import AlphaAnonymity
from kanon_sql.model.beta_likeness import BetaLikeness
from kanon_sql.model.delta_disclosure import DeltaDisclosure
from kanon_sql.model.delta_presence import DeltaPresence
from kanon_sql.model.k_anonymity import REPRESENTATIVE, KAnonymity, People
from kanon_sql.model.k_map import KMap
from kanon_sql.model.l_diversity import VARIANTS, LDiversity
from kanon_sql.model.synonyms import GUARANTEES
from kanon_sql.model.t_closeness import METRICS, TCloseness
from kanon_sql.model.validation import known_keys, same_name

__all__ = [
    "METRICS",
    "REPRESENTATIVE",
    "VARIANTS",
    "AlphaAnonymity",
    "BetaLikeness",
    "DeltaDisclosure",
    "DeltaPresence",
    "KAnonymity",
    "KMap",
    "LDiversity",
    "People",
    "PopulationRequirement",
    "Requirement",
    "SensitiveRequirement",
    "TCloseness",
    "ThresholdRequirement",
    "least_rows",
    "named_population",
    "named_requirements",
    "population_ones",
    "requirement_from_json",
    "respelled",
    "sensitive_ones",
]

ThresholdRequirement = LDiversity | TCloseness | BetaLikeness | DeltaDisclosure
"""The requirements on a whole column with one threshold, which an audit measures."""

SensitiveRequirement = People | AlphaAnonymity | ThresholdRequirement
"""The requirements on the values of a column that is no quasi-identifier."""

PopulationRequirement = KMap | DeltaPresence
"""The requirements on what a class shows, counted in a table of the population."""

Requirement = KAnonymity | SensitiveRequirement | PopulationRequirement
"""The requirements that exist; a conjunction is a tuple of them."""

_REQUIREMENTS: dict[str, type[Requirement]] = {
    "k": KAnonymity,
    "people": People,
    "l": LDiversity,
    "alpha": AlphaAnonymity,
    "t": TCloseness,
    "beta": BetaLikeness,
    "delta": DeltaDisclosure,
    "k_map": KMap,
    "presence": DeltaPresence,
}


def least_rows(requirements: Iterable[Requirement]) -> int:
    """Return the k of the requirements: the least number of rows that k-anonymity asks of a class, 1 without it."""
    return max((each.k for each in requirements if isinstance(each, KAnonymity)), default=1)


def sensitive_ones(requirements: Iterable[Requirement]) -> tuple[SensitiveRequirement, ...]:
    """Return the requirements on the values of a column, in their order."""
    return tuple(each for each in requirements if isinstance(each, SensitiveRequirement))


def population_ones(requirements: Iterable[Requirement]) -> tuple[PopulationRequirement, ...]:
    """Return the requirements that are counted in a table of the population, in their order."""
    return tuple(each for each in requirements if isinstance(each, PopulationRequirement))


def requirement_from_json(item: object) -> Requirement:
    """Read a requirement from plain JSON data; what may be left out takes its default."""
    kind = item.get("type") if isinstance(item, dict) else None
    if not isinstance(kind, str) or kind not in _REQUIREMENTS:
        hint = hint_of(kind, _REQUIREMENTS, f"the types are {', '.join(_REQUIREMENTS)}", synonyms=GUARANTEES)
        raise PolicyError(f"a requirement has the unknown type {kind!r}; hint: {hint}")
    requirement = _REQUIREMENTS[kind]
    names = {field.name: field.default is MISSING for field in fields(requirement)}
    needed = [name for name, must in names.items() if must]
    data = known_keys(item, {"type", *names}, f"the requirement {kind!r}", needed)
    return requirement(**{key: value for key, value in data.items() if key != "type"})


def respelled(requirement: Requirement, spelled: Mapping[str, str]) -> Requirement:
    """Return a requirement with its column as ``spelled``, by the form that `same_name` compares."""
    if not isinstance(requirement, SensitiveRequirement):
        return requirement
    column = spelled[same_name(requirement.sensitive)]
    return replace(requirement, per=column) if isinstance(requirement, People) else replace(requirement, sensitive=column)


def named_population(population: str | None, *, k_map: Any = None, presence: Any = None) -> tuple[PopulationRequirement, ...]:
    """Return the requirements on a table of the population from the names that every entrance of kanon-sql shares.

    Parameters
    ----------
    population : str, optional
        Name of the table; None where nothing is asked of one.
    k_map : int, optional
        As in `KMap`.
    presence : number, optional
        The ``delta`` of `DeltaPresence`.

    Raises
    ------
    PolicyError
        When one of them says nothing without the other.
    """
    if population is None:
        for name, given in {"k_map": k_map, "presence": presence}.items():
            if given is not None:
                raise PolicyError(f"{name} needs the table of the population that it counts; hint: population = 'census'")
        return ()
    if k_map is None and presence is None:
        raise PolicyError("nothing is guaranteed about the population; hint: k_map = 5")
    mapped = [] if k_map is None else [KMap(k=k_map, population=population)]
    return (*mapped, *([] if presence is None else [DeltaPresence(delta=presence, population=population)]))


def named_requirements(
    sensitive: str | None,
    *,
    l: Any = None,  # noqa: E741 - its name everywhere
    variant: str | None = None,
    c: Any = None,
    t: Any = None,
    metric: str | None = None,
    hierarchy: str | None = None,
    beta: Any = None,
    delta: Any = None,
) -> tuple[ThresholdRequirement, ...]:
    """Return the requirements on one sensitive attribute from the names that every entrance of kanon-sql shares.

    Parameters
    ----------
    sensitive : str, optional
        The sensitive attribute; None where nothing is asked of one.
    l, variant, c : optional
        As in `LDiversity`; None takes the default.
    t, metric, hierarchy : optional
        As in `TCloseness`; None takes the default.
    beta, delta : optional
        As in `BetaLikeness` and `DeltaDisclosure`.

    Raises
    ------
    PolicyError
        When a name says nothing because another one is missing.
    """
    for name, value, about, threshold in (
        ("variant", variant, "l", l),
        ("c", c, "l", l),
        ("metric", metric, "t", t),
        ("hierarchy", hierarchy, "t", t),
    ):
        if value is not None and threshold is None:
            raise PolicyError(f"{name} says nothing without {about}; hint: give {about} too")
    if sensitive is None:
        if any(each is not None for each in (l, t, beta, delta)):
            raise PolicyError("l, t, beta and delta need the sensitive column that they are about; hint: sensitive = 'disease'")
        return ()
    found: list[ThresholdRequirement] = []
    if l is not None:
        found.append(LDiversity(sensitive=sensitive, l=l, variant=VARIANTS[0] if variant is None else variant, c=c))
    if t is not None:
        found.append(TCloseness(sensitive=sensitive, t=t, metric=METRICS[0] if metric is None else metric, hierarchy=hierarchy))
    if beta is not None:
        found.append(BetaLikeness(sensitive=sensitive, beta=beta))
    if delta is not None:
        found.append(DeltaDisclosure(sensitive=sensitive, delta=delta))
    if not found:
        raise PolicyError("nothing is guaranteed about the sensitive column; hint: l = 2 or t = 0.3")
    return tuple(found)
