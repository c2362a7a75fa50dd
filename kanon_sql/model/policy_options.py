"""The named options that every entrance of kanon-sql shares: their types, their defaults and what they mean."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Generic, TypedDict, TypeVar, cast

from kanon_sql.errors import hint_of, use_one_of
from kanon_sql.model.masks import AtLevels
from kanon_sql.model.policy_checks import EFFORTS, ROW_ORDERS
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.requirements import THRESHOLD_OPTIONS, Requirement
from kanon_sql.model.synonyms import OPTIONS
from kanon_sql.model.unlisted import UNLISTED_LIMIT

Number = int | float | str | Decimal | Fraction
"""A threshold: exact, a float as the decimal that it is written as, a text such as '1/3'."""

Recoding = TypeVar("Recoding")
"""How a recoding is given: read, or also as a text."""

F = TypeVar("F", bound=Callable[..., Any])


class ThresholdOptions(TypedDict, total=False):
    """The requirement of a sensitive attribute.

    Parameters
    ----------
    l, variant, c : optional
        Its l-diversity in every class, as in :class:`~kanon_sql.model.requirements.LDiversity`.
    t, metric, hierarchy : optional
        Its t-closeness in every class, as in :class:`~kanon_sql.model.requirements.TCloseness`.
    beta : optional
        Its beta-likeness in every class, as in :class:`~kanon_sql.model.requirements.BetaLikeness`.
    delta : optional
        Its delta-disclosure privacy in every class, as in :class:`~kanon_sql.model.requirements.DeltaDisclosure`.
    """

    l: Number | None  # noqa: E741 - its name everywhere
    variant: str | None
    c: Number | None
    t: Number | None
    metric: str | None
    hierarchy: str | None
    beta: Number | None
    delta: Number | None


class PopulationOptions(TypedDict, total=False):
    """What is counted in a table of the population.

    Parameters
    ----------
    k_map : int, optional
        Least number of its rows that match what a class shows, as in :class:`~kanon_sql.model.requirements.KMap`.
    presence : number, optional
        The ``delta`` of :class:`~kanon_sql.model.requirements.DeltaPresence`: the greatest sum of shares of its rows.
    population : str, optional
        Its name; it has the quasi-identifiers under the same names.
    """

    k_map: int | None
    presence: Number | None
    population: str | None


class AuditOptions(ThresholdOptions, total=False):
    """What is measured of a table.

    Parameters
    ----------
    k : int, optional
        Least number of rows of a class.
    quasi_identifiers : iterable of str, optional
        The columns that make the classes; None takes all that are not sensitive. NULL is a value like any other.
    sensitive : str, optional
        A sensitive attribute, whose diversity and closeness are measured.
    l, variant, c, t, metric, hierarchy, beta, delta : optional
        As in `ThresholdOptions`.
    """

    k: int | None
    quasi_identifiers: Iterable[str] | None
    sensitive: str | None


class OptionsBesideK(ThresholdOptions, PopulationOptions, Generic[Recoding], total=False):
    """The parts of a policy by name, all but its k.

    Parameters
    ----------
    quasi_identifiers : iterable of str, optional
        Columns that help to recognize somebody; None takes all that are not sensitive.
    sensitive : str, optional
        The sensitive attribute that ``l``, ``t``, ``beta`` and ``delta`` are about; it is released unchanged.
    l, variant, c, t, metric, hierarchy, beta, delta : optional
        As in `ThresholdOptions`.
    k_map, presence, population : optional
        As in `PopulationOptions`.
    known : int or iterable of iterable of str, optional
        How many quasi-identifiers an attacker knows, any of them, or lists of those that one may know: ``k``, ``per``, ``l``,
        ``t``, ``beta`` and ``delta`` are about the classes by these. None: all of them. As in
        :class:`~kanon_sql.model.requirements.KnownColumns`.
    per : str, optional
        The column that tells people apart, where they may have several rows: ``k`` counts people then, and the column is not
        released.
    per_row : bool
        Whether each row is a person. Otherwise a table in which a column repeats people is refused, unless ``per`` counts them.
    requirements : iterable of Requirement
        More requirements, such as those on further sensitive attributes.
    masks : iterable of iterable of str, optional
        Permitted masks, as lists of shown columns; None permits all. Levels that only masks name are permitted too. A mask
        ``{'columns': ['zip', 'age'], 'cost': 2}`` has a cost for each row in place of weights; then each needs one.
    linked : iterable of iterable of str, optional
        Groups of columns that are suppressed together or not at all in each row.
    keep : iterable of str, optional
        Columns that are released unchanged on purpose; where it is given, every column has to have a role, and without
        ``quasi_identifiers`` all others are some.
    weights : mapping, optional
        Cost of a suppressed cell by column, 1 where it is not named.
    recodings : mapping, optional
        How the cells of a column are coarsened before they are suppressed, by column.
    algorithm, time_limit, effort, seed, max_suppressed, suppress, row_order, unlisted_limit
        As in :class:`~kanon_sql.model.policy.Policy`.
    """

    quasi_identifiers: Iterable[str | QuasiIdentifier] | None
    sensitive: str | None
    known: int | Iterable[Iterable[str]] | None
    per: str | None
    per_row: bool
    requirements: Iterable[Requirement]
    masks: Iterable[Iterable[str | AtLevels]] | None
    linked: Iterable[Iterable[str]] | None
    keep: Iterable[str] | None
    weights: Mapping[str, object] | None
    recodings: Mapping[str, Recoding] | None
    algorithm: str
    time_limit: float | None
    effort: str
    seed: int
    max_suppressed: Number | None
    suppress: str | None
    row_order: str
    unlisted_limit: Number


class PolicyOptions(OptionsBesideK[Recoding], Generic[Recoding], total=False):
    """The parts of a policy by name.

    Parameters
    ----------
    k : int
        Least number of rows of a class; 2 by default, except next to a guarantee about the population.
    quasi_identifiers, sensitive, known, per, per_row, requirements, masks, linked, keep, weights, recodings, algorithm, \
time_limit, effort, seed, max_suppressed, suppress, row_order, unlisted_limit, \
l, variant, c, t, metric, hierarchy, beta, delta, k_map, presence, population
        As in `OptionsBesideK`.
    """

    k: int


class _Unsaid(int):
    """A number that is the default of an option; its type distinguishes it from an equal number that somebody has written."""


UNSAID_K = _Unsaid(2)
"""The k of a policy that names none."""

_THRESHOLDS: dict[str, None] = dict.fromkeys(THRESHOLD_OPTIONS)

POLICY_DEFAULTS: dict[str, Any] = {
    "k": UNSAID_K,
    "quasi_identifiers": None,
    "sensitive": None,
    **_THRESHOLDS,
    "k_map": None,
    "presence": None,
    "population": None,
    "known": None,
    "per": None,
    "per_row": False,
    "requirements": (),
    "masks": None,
    "linked": None,
    "keep": None,
    "weights": None,
    "recodings": None,
    "algorithm": "auto",
    "time_limit": None,
    "effort": EFFORTS[0],
    "seed": 0,
    "max_suppressed": None,
    "suppress": None,
    "row_order": ROW_ORDERS[0],
    "unlisted_limit": float(UNLISTED_LIMIT),
}
"""The options of `PolicyOptions` in the order in which they are listed, with their defaults."""

AUDIT_DEFAULTS: dict[str, Any] = {"quasi_identifiers": None, "k": None, "sensitive": None, **_THRESHOLDS}
"""The same of `AuditOptions`."""


def completed(function: str, options: Mapping[str, object], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that a function was given, and the defaults of all others.

    Raises
    ------
    TypeError
        When there is no such option, as for any keyword that a function does not know.
    """
    for name in options:
        if name not in defaults:
            hint = hint_of(name, defaults, use_one_of(defaults), synonyms=OPTIONS)
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}; hint: {hint}")
    return {**defaults, **options}


def thresholds(options: Mapping[str, object]) -> ThresholdOptions:
    """Return what options ask of their sensitive attribute."""
    return cast("ThresholdOptions", {name: options[name] for name in _THRESHOLDS if name in options})


def spelled_out(defaults: Mapping[str, Any]) -> Callable[[F], F]:
    """List the options of a function in its signature in place of ``**options``, for `help` and all who inspect it.

    Parameters
    ----------
    defaults : mapping
        The options that it takes, with their defaults.
    """

    def spell(function: F) -> F:
        plain = inspect.signature(function)
        own = [each for each in plain.parameters.values() if each.kind is not each.VAR_KEYWORD]
        named = [each for each in own if each.kind is each.KEYWORD_ONLY]
        options = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value) for name, value in defaults.items()]
        placed = [each for each in own if each not in named]
        options = [each for each in options if each.name not in {other.name for other in placed}]
        parameters = [*placed, *options, *named]
        vars(function)["__signature__"] = plain.replace(parameters=parameters)
        return function

    return spell
