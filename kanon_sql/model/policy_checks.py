"""Checks that the parts of a policy do not contradict each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import inf

from kanon_sql.errors import PolicyError, UnknownAlgorithmError, UnknownColumnError, hint_of
from kanon_sql.model.linked_columns import Group
from kanon_sql.model.masks import Mask, columns_of
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.recodings import Rectangles, Summary, has_fixed_labels
from kanon_sql.model.requirements import (
    KnownColumns,
    People,
    PopulationRequirement,
    Requirement,
    SensitiveRequirement,
    by_all_or_known,
    closeness_ones,
    known_ones,
    sensitive_ones,
)
from kanon_sql.model.surfaces import Surface, without_role
from kanon_sql.model.validation import as_identifier, encodable, named, one_of, refuse_twice, same_name, whole

OWN = "kanon#"
"""How the columns begin that the program adds to a statement."""

ROW_ORDERS = ("shuffled", "source")
"""Orders of released rows: one that follows from the released rows alone, or that of the source."""

EFFORTS = ("default", "fast", "thorough")
"""How many steps a search takes."""

MAX_QUASI_IDENTIFIERS = 60
"""One mask is one 64-bit word: a bit per quasi-identifier, a few bits unused."""

MAX_LISTED_MASKS = 1 << 16
"""More masks than this are never listed: ask for every combination (CUBE) instead, which is searched, not listed."""


def check_parts(quasi_identifiers: Sequence[QuasiIdentifier], requirements: Sequence[object], *, every_column: bool) -> None:
    """Check that there are quasi-identifiers, not too many of them, each once, and requirements."""
    if not quasi_identifiers and not every_column:
        raise PolicyError("a policy needs at least one quasi-identifier; hint: list the columns that identify people")
    if len(quasi_identifiers) > MAX_QUASI_IDENTIFIERS:
        raise PolicyError(
            f"too many quasi-identifiers: {len(quasi_identifiers)} (maximum {MAX_QUASI_IDENTIFIERS}); hint: use fewer"
        )
    refuse_twice([qi.column for qi in quasi_identifiers], "the quasi-identifiers")
    if not requirements:
        raise PolicyError("a policy needs a guarantee; hint: write GUARANTEE k >= 5")
    for requirement in requirements:
        of = requirement.of if isinstance(requirement, KnownColumns) else None
        if of is not None and not isinstance(of, SensitiveRequirement):
            raise PolicyError(
                f"known columns cannot be combined with {type(of).__name__}; hint: use People(k=5, per='patient_id')"
            )
        if not isinstance(requirement, Requirement):
            raise PolicyError(
                f"a requirement cannot be a {type(requirement).__name__}; hint: use LDiversity(sensitive='disease', l=2)"
            )


def check_names(names: Iterable[str]) -> None:
    """Check that no column is called as those that the program adds."""
    for name in names:
        if same_name(name).startswith(OWN):
            raise PolicyError(f'the column name "{name}" is reserved; hint: rename the column')


def check_masks(masks: Sequence[Mask], columns: Sequence[str], *, every_column: bool) -> None:
    """Check that there are masks, not too many of them, and that they show quasi-identifiers, each once."""
    if not masks:
        raise PolicyError(
            "the list of masks is empty: no row could be released; hint: add the mask [], which suppresses every column"
        )
    if len(masks) > MAX_LISTED_MASKS:
        raise PolicyError(
            f"too many masks: {len(masks)} (maximum {MAX_LISTED_MASKS}); hint: omit the masks to permit every combination"
        )
    known = {same_name(column) for column in columns}
    for number, mask in enumerate(masks, 1):
        for name in columns_of(mask):
            if same_name(named(name, f"mask {number}")) not in known and not every_column:
                raise UnknownColumnError.of(name, columns, f"mask {number}")
        refuse_twice(columns_of(mask), f"the columns of mask {number}")


def check_sensitive(requirements: Sequence[Requirement], *shown: Iterable[str]) -> None:
    """Check that no sensitive column helps to recognize somebody, and that requirements do not contradict each other."""
    identifying = {same_name(name) for names in shown for name in names}
    trees: dict[str, str] = {}
    requested = sensitive_ones(by_all_or_known(requirements))
    people = next((each for each in requested if isinstance(each, People)), None)
    if people is not None:
        about = [each for each in requested if same_name(each.sensitive) == same_name(people.per)]
        if len(about) > 1 and (any(not isinstance(each, People) for each in about) or not known_ones(requirements)):
            raise PolicyError(f'"{people.per}" identifies people but has two guarantees; hint: remove one of them')
        if any(isinstance(each, People) and each not in about for each in requested):
            raise PolicyError("two columns identify people; hint: choose one")
        for known in known_ones(requirements):
            if known.of is None:
                counted = f"k >= {known.k} PER {as_identifier(people.per)} {known.scope}"
                raise PolicyError(
                    f"{known.describe()} counts rows, but {people.describe()} counts people; hint: write {counted}"
                )
    for requirement in requested:
        if same_name(requirement.sensitive) in identifying:
            raise PolicyError(
                f'the sensitive column "{requirement.sensitive}" is also a quasi-identifier; hint: remove it from the '
                "quasi-identifiers, masks and linked columns, because it is released unchanged"
                if not isinstance(requirement, People)
                else f'the column "{requirement.per}" that identifies people is also a quasi-identifier; hint: remove it '
                "from the quasi-identifiers, masks and linked columns, because it is never released"
            )
    for each in closeness_ones(requirements):
        if each.hierarchy is not None:
            tree = trees.setdefault(same_name(each.sensitive), each.hierarchy)
            if same_name(tree) != same_name(each.hierarchy):
                raise PolicyError(f'the sensitive column "{each.sensitive}" has two hierarchies; hint: use one')


def check_keep(keep: Sequence[str] | None, identifying: Iterable[str], measured: Iterable[str]) -> None:
    """Check that what is kept has a name, is named once, and has no other role."""
    taken = {same_name(name): "a quasi-identifier" for name in identifying}
    taken |= {same_name(name): "used in a requirement" for name in measured}
    for name in keep or ():
        role = taken.get(same_name(named(name, "a kept column")))
        if role is not None:
            raise PolicyError(f'the kept column "{name}" is also {role}; hint: give it only one role')
    check_names(keep or ())
    refuse_twice(list(keep or ()), "the kept columns")


def check_pseudonyms(
    pseudonyms: Sequence[str], linkable: Sequence[str], keep: Sequence[str] | None, others: Iterable[str], *, every_column: bool
) -> None:
    """Check that columns of tokens are none of ``others``, which have a role, and that only tokens are linkable."""
    refuse_twice([named(name, "a pseudonym") for name in pseudonyms], "the pseudonyms")
    refuse_twice([named(name, "a linkable column") for name in linkable], "the linkable columns")
    kept = {same_name(named(name, "a kept column")) for name in keep or ()}
    taken, tokens = set(map(same_name, others)), set(map(same_name, pseudonyms))
    if pseudonyms and every_column:
        raise PolicyError("pseudonyms need a list of quasi-identifiers; hint: set quasi_identifiers")
    for name in pseudonyms:
        if same_name(name) in taken:
            raise PolicyError(f'the pseudonym "{name}" has a second role; hint: remove that role')
        if same_name(name) not in kept:
            raise PolicyError(f'the pseudonym "{name}" is not kept; hint: add it to keep')
    for name in linkable:
        if same_name(name) not in tokens:
            raise PolicyError(f'the column "{name}" is linkable but not a pseudonym; hint: add it to pseudonyms')


def check_recodings(quasi_identifiers: Sequence[QuasiIdentifier], linked: Sequence[Group], *, masks: bool) -> None:
    """Check that recodings suit each other and the rest of the policy; it may have masks."""
    recodings = {same_name(qi.column): qi.recoding for qi in quasi_identifiers if qi.recoding is not None}
    for name in (name for group in linked for name in group):
        if same_name(name) in recodings:
            raise PolicyError(f'the linked column "{name}" is also generalized; hint: remove its recoding, or do not link it')
    for qi in quasi_identifiers:
        if isinstance(qi.recoding, Rectangles):
            if same_name(qi.recoding.beside) == same_name(qi.column):
                raise PolicyError(
                    f'RECTANGLES needs two different columns, not "{qi.column}" twice; hint: write (lat, lon) IN RECTANGLES'
                )
            other = recodings.get(same_name(qi.recoding.beside))
            if not isinstance(other, Rectangles) or same_name(other.beside) != same_name(qi.column):
                raise PolicyError(
                    f'the coordinate "{qi.column}" needs "{qi.recoding.beside}" as its partner; hint: write '
                    "(lat, lon) IN RECTANGLES"
                )
            if other.algorithm != qi.recoding.algorithm:
                raise PolicyError(
                    f'the coordinates "{qi.column}" and "{qi.recoding.beside}" use different algorithms; hint: '
                    "choose one algorithm for both columns"
                )
    if any(isinstance(each, Summary) for each in recodings.values()):
        _check_summaries(masks, bool(linked))


def _check_summaries(masks: bool, linked: bool) -> None:
    for refused, what in (
        (masks, "masks"),
        (linked, "linked columns"),
    ):
        if refused:
            raise PolicyError(
                f"RANGES, SETS, MEANS and MEDIANS cannot be combined with {what}; hint: use intervals or a hierarchy"
            )


def check_search(algorithm: object, time_limit: object, effort: object, seed: object) -> None:
    """Check how to look for a release: the name of an algorithm, a time in seconds or None, an effort, a whole number."""
    if not isinstance(algorithm, str) or not algorithm:
        raise PolicyError("algorithm must be the name of an algorithm; hint: use 'auto'")
    if algorithm in EFFORTS:
        hint = f"write USING auto (effort = '{algorithm}')"
        raise UnknownAlgorithmError(f"{algorithm} is an effort, not an algorithm; hint: {hint}").command(
            f"pass --effort {algorithm}"
        )
    if time_limit is not None and not (isinstance(time_limit, int | float) and time_limit is not True and 0 < time_limit < inf):
        raise PolicyError("time_limit must be a number of seconds above 0; hint: set it to 60, or omit it").command(
            "pass --time-limit 60, or omit it"
        )
    one_of(effort, EFFORTS, "effort")
    whole(seed, "seed", 0)


def check_share(max_suppressed: Fraction, algorithm: str) -> None:
    """Check the share of suppressed rows, and that the algorithm takes one."""
    if not 0 <= max_suppressed <= 1:
        raise PolicyError("max_suppressed must be a share of the rows between 0 and 1; hint: use 0.05")
    if algorithm != "full_domain":
        raise PolicyError("max_suppressed needs the algorithm 'full_domain'; hint: write USING full_domain")


def check_output(algorithm: str, suppress: str | None, row_order: object) -> None:
    """Check what stands for a suppressed cell, the order of the released rows, and that texts can be encoded."""
    if suppress is not None and not isinstance(suppress, str):
        raise PolicyError("suppress must be text or NULL; hint: set suppress := '*'")
    encodable(algorithm, "the name of the algorithm")
    encodable(suppress or "", "suppress")
    if row_order not in ROW_ORDERS:
        hint = hint_of(row_order, ROW_ORDERS, "use 'shuffled', the default")
        raise PolicyError(f"row_order must be one of {', '.join(map(repr, ROW_ORDERS))}; hint: {hint}")


def check_roles(columns: Sequence[str], named: Sequence[str], surface: Surface) -> None:
    """Check that each column is named, where a policy says what is kept.

    Raises
    ------
    PolicyError
        When one is not.
    """
    known = set(map(same_name, named))
    for column in columns:
        if same_name(column) not in known:
            raise without_role(column, surface)


def check_population(requirements: Sequence[PopulationRequirement], quasi_identifiers: Sequence[QuasiIdentifier]) -> None:
    """Refuse recodings whose labels depend on the rows of the source: they say nothing of other rows.

    Raises
    ------
    PolicyError
        When a column shows such labels next to a guarantee about the population.
    """
    for qi in quasi_identifiers if requirements else ():
        if qi.recoding is not None and not has_fixed_labels(qi.recoding):
            kind = type(qi.recoding).__name__.upper()
            raise PolicyError(
                f"{requirements[0].describe()}: the labels of {as_identifier(qi.column)} in {kind} depend on the released "
                "rows; hint: use DIGITS, HIERARCHY, CUTS, or INTERVALS with widths"
            )
