"""What every equivalence class of a release has to meet.

Each requirement is kept when classes that meet it are merged, so a release that fails can always be coarsened until it
holds, or no release holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, replace
from typing import Any

from kanon_sql.errors import PolicyError, hint_of, use_one_of
from kanon_sql.model.guarantees.alpha_anonymity import AlphaAnonymity
from kanon_sql.model.guarantees.beta_likeness import BetaLikeness
from kanon_sql.model.guarantees.delta_disclosure import DeltaDisclosure
from kanon_sql.model.guarantees.delta_presence import DeltaPresence
from kanon_sql.model.guarantees.k_anonymity import KAnonymity
from kanon_sql.model.guarantees.k_map import KMap
from kanon_sql.model.guarantees.known_columns import KnownColumns
from kanon_sql.model.guarantees.l_diversity import VARIANTS, LDiversity
from kanon_sql.model.guarantees.people import REPRESENTATIVE, People
from kanon_sql.model.guarantees.t_closeness import METRICS, TCloseness
from kanon_sql.model.guarantees.written import Option
from kanon_sql.model.validation import known_keys, same_name

__all__ = [
    "GUARANTEES",
    "METRICS",
    "REPRESENTATIVE",
    "REQUIREMENTS",
    "THRESHOLDS",
    "THRESHOLD_OPTIONS",
    "VARIANTS",
    "AlphaAnonymity",
    "BetaLikeness",
    "DeltaDisclosure",
    "DeltaPresence",
    "KAnonymity",
    "KMap",
    "KnownColumns",
    "LDiversity",
    "People",
    "PopulationRequirement",
    "Requirement",
    "SensitiveRequirement",
    "TCloseness",
    "ThresholdRequirement",
    "by_all_or_known",
    "closeness_ones",
    "known_ones",
    "least_rows",
    "named_population",
    "named_requirements",
    "of_known",
    "population_ones",
    "requirement_from_json",
    "respelled",
    "sensitive_ones",
    "standard_name",
]

ThresholdRequirement = LDiversity | TCloseness | BetaLikeness | DeltaDisclosure
"""The requirements on a whole column with one threshold, which an audit measures."""

SensitiveRequirement = People | AlphaAnonymity | ThresholdRequirement
"""The requirements on the values of a column that is no quasi-identifier."""

PopulationRequirement = KMap | DeltaPresence
"""The requirements on what a class shows, counted in a table of the population."""

Requirement = KAnonymity | KnownColumns | SensitiveRequirement | PopulationRequirement
"""The requirements that exist; a conjunction is a tuple of them."""

REQUIREMENTS: tuple[type[Requirement], ...] = (
    KAnonymity,
    KnownColumns,
    People,
    LDiversity,
    TCloseness,
    AlphaAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    KMap,
    DeltaPresence,
)
"""The one list of guarantees: whatever names them all is made of it."""

THRESHOLDS: tuple[type[ThresholdRequirement], ...] = (LDiversity, TCloseness, BetaLikeness, DeltaDisclosure)
"""The guarantees that options ask for; the first option of each is its threshold, and the others say nothing without it."""

THRESHOLD_OPTIONS: dict[str, Option] = {name: option for each in THRESHOLDS for name, option in each.options.items()}

GUARANTEES = tuple((each.kind, *each.synonyms) for each in REQUIREMENTS)
"""How the clause and the JSON of a policy write each guarantee, and what people look for instead."""

_BY_KIND = {each.kind: each for each in REQUIREMENTS}


def standard_name(requirement: type[Requirement]) -> str:
    """Return the standard name of a guarantee: that of its file here, and in each folder of guarantees."""
    return requirement.__module__.rpartition(".")[2]


def least_rows(requirements: Iterable[Requirement]) -> int:
    """Return the k of the requirements: the least number of rows that k-anonymity asks of a class, 1 without it."""
    return max((each.k for each in requirements if isinstance(each, KAnonymity)), default=1)


def known_ones(requirements: Iterable[Requirement]) -> tuple[KnownColumns, ...]:
    """Return the requirements on what an attacker knows, in their order."""
    return tuple(each for each in requirements if isinstance(each, KnownColumns))


def sensitive_ones(requirements: Iterable[Requirement]) -> tuple[SensitiveRequirement, ...]:
    """Return the requirements on the values of a column in the classes by all columns, in their order."""
    return tuple(each for each in requirements if isinstance(each, SensitiveRequirement))


def of_known(requirement: KnownColumns) -> SensitiveRequirement | None:
    """Return what a requirement for known columns asks of the people or the values of a class."""
    return requirement.of if isinstance(requirement.of, SensitiveRequirement) else None


def by_all_or_known(requirements: Iterable[Requirement]) -> tuple[Requirement, ...]:
    """Return the requirements, in their order; of those for known columns what they ask of a class by some set."""
    return tuple(
        of_known(each) or KAnonymity(k=each.least) if isinstance(each, KnownColumns) else each for each in requirements
    )


def closeness_ones(requirements: Iterable[Requirement]) -> tuple[TCloseness, ...]:
    """Return the requirements that compare classes with the whole table by distances of values, in their order."""
    return tuple(each for each in by_all_or_known(requirements) if isinstance(each, TCloseness))


def population_ones(requirements: Iterable[Requirement]) -> tuple[PopulationRequirement, ...]:
    """Return the requirements that are counted in a table of the population, in their order."""
    return tuple(each for each in requirements if isinstance(each, PopulationRequirement))


def requirement_from_json(item: object) -> Requirement:
    """Read a requirement from plain JSON data; what may be left out takes its default."""
    kind = item.get("type") if isinstance(item, dict) else None
    if not isinstance(kind, str) or kind not in _BY_KIND:
        hint = hint_of(kind, _BY_KIND, use_one_of(_BY_KIND), synonyms=GUARANTEES)
        raise PolicyError(f"unknown requirement type {kind!r}; hint: {hint}")
    requirement = _BY_KIND[kind]
    names = {field.name: field.default is MISSING for field in fields(requirement)}
    needed = [name for name, must in names.items() if must]
    data = known_keys(item, {"type", *names}, f"the requirement {kind!r}", needed)
    if requirement is KnownColumns and data.get("of") is not None:
        data = {**data, "of": requirement_from_json(data["of"])}
    return requirement(**{key: value for key, value in data.items() if key != "type"})


def respelled(requirement: Requirement, spelled: Mapping[str, str]) -> Requirement:
    """Return a requirement with its columns as ``spelled``, by the form that `same_name` compares."""
    if isinstance(requirement, KnownColumns):
        of = of_known(requirement)
        sets = requirement.sets and tuple(tuple(spelled[same_name(name)] for name in each) for each in requirement.sets)
        return replace(requirement, sets=sets, of=None if of is None else _respelled(of, spelled))
    return _respelled(requirement, spelled) if isinstance(requirement, SensitiveRequirement) else requirement


def _respelled(requirement: SensitiveRequirement, spelled: Mapping[str, str]) -> SensitiveRequirement:
    column = spelled[same_name(requirement.sensitive)]
    return replace(requirement, per=column) if isinstance(requirement, People) else replace(requirement, sensitive=column)


def named_population(population: str | None, *, k_map: Any = None, presence: Any = None) -> tuple[PopulationRequirement, ...]:
    """Return the requirements on a table of the population from the names that every entrance of kanon-sql shares.

    Parameters
    ----------
    population : str, optional
        Name of the table; None without a requirement of one.
    k_map : int, optional
        As in `KMap`.
    presence : number, optional
        The ``delta`` of `DeltaPresence`.

    Raises
    ------
    PolicyError
        When one of them has no effect without the other.
    """
    if population is None:
        for name, given in {"k_map": k_map, "presence": presence}.items():
            if given is not None:
                raise PolicyError(f"{name} needs a population table; hint: set population = 'census'").command(
                    "pass --population census.csv"
                )
        return ()
    if k_map is None and presence is None:
        raise PolicyError("no guarantee uses the population; hint: set k_map = 5").command("pass --k-map 5")
    mapped = [] if k_map is None else [KMap(k=k_map, population=population)]
    return (*mapped, *([] if presence is None else [DeltaPresence(delta=presence, population=population)]))


def named_requirements(sensitive: str | None, **options: Any) -> tuple[ThresholdRequirement, ...]:
    """Return the requirements on one sensitive attribute from the names that every entrance of kanon-sql shares.

    Parameters
    ----------
    sensitive : str, optional
        The sensitive attribute; None without a requirement of one.
    options : optional
        Some of `THRESHOLD_OPTIONS`; None takes the default.

    Raises
    ------
    PolicyError
        When a name says nothing because another one is missing.
    """
    given = {name: value for name, value in options.items() if value is not None}
    thresholds = {next(iter(each.options)): each for each in THRESHOLDS}
    for threshold, requirement in thresholds.items():
        for name in requirement.options:
            if name in given and threshold not in given:
                raise PolicyError(f"{name} has no effect without {threshold}; hint: also set {threshold}")
    if sensitive is None:
        if given:
            *first, last = thresholds
            raise PolicyError(
                f"{', '.join(first)} and {last} need a sensitive column; hint: set sensitive = 'disease'"
            ).command("pass --sensitive disease")
        return ()
    found = tuple(
        requirement(sensitive=sensitive, **{name: given[name] for name in requirement.options if name in given})
        for threshold, requirement in thresholds.items()
        if threshold in given
    )
    if not found:
        raise PolicyError("no guarantee uses the sensitive column; hint: set l = 2 or t = 0.3").command("pass --l 2 or --t 0.3")
    return found
