"""What a release promises: quasi-identifiers, requirements, permitted masks, and how to solve for them.

The clause, the table functions, Python and the command line all compile to a :class:`Policy`; its canonical JSON form is
what travels inside SQL.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import inf
from typing import Any

from kanon_sql import generalizations
from kanon_sql import masks as forms
from kanon_sql.errors import PolicyError, UnknownColumnError
from kanon_sql.generalizations import Generalization, Rectangles, Summary
from kanon_sql.links import Group, check_links, unsplit
from kanon_sql.masks import AtLevels, Mask, columns_of, renamed, simplified
from kanon_sql.requirements import (
    KAnonymity,
    People,
    Requirement,
    TCloseness,
    named_requirements,
    requirement_from_json,
    respelled,
)
from kanon_sql.validation import (
    encodable,
    fraction,
    known_keys,
    listed,
    named,
    parsed,
    plain_number,
    refuse_twice,
    same_name,
    whole,
)

MAX_QUASI_IDENTIFIERS = 60
"""One mask is one 64-bit word: a bit per quasi-identifier, a few bits to spare."""

OWN = "kanon#"
"""How the columns begin that the program adds to a statement."""

ROW_ORDERS = ("shuffled", "source")
"""Orders of released rows: one that follows from the released rows alone, or that of the source."""

MAX_LISTED_MASKS = 1 << 16
"""More masks than this are never listed: ask for every combination (CUBE) instead, which is searched, not listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuasiIdentifier:
    """A column that helps to recognize somebody.

    Parameters
    ----------
    column : str
        Name of the column; case does not count, as in SQL.
    weight : int or Fraction
        Cost of suppressing one cell of the column, above 0.
    recoding : Generalization, optional
        How a cell may be coarsened before it is suppressed; None shows it or hides it. Also read from plain JSON data.
    """

    column: str
    weight: Fraction = Fraction(1)
    recoding: Generalization | None = None

    def __post_init__(self) -> None:
        named(self.column, "a quasi-identifier")
        object.__setattr__(self, "weight", fraction(self.weight, f'the weight of "{self.column}"'))
        if self.weight <= 0:
            raise PolicyError(f'the weight of "{self.column}" must be above 0; hint: leave the column out to show it always')
        object.__setattr__(self, "recoding", generalizations.from_json(self.recoding))

    def to_json(self) -> dict[str, Any]:
        """Return the quasi-identifier as plain JSON data."""
        recoding = generalizations.to_json(self.recoding)
        return {"column": self.column, "weight": plain_number(self.weight), "recoding": recoding}


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A promise about a release, and how to look for it.

    Parameters
    ----------
    quasi_identifiers : tuple of QuasiIdentifier
        The quasi-identifiers, at most 60.
    every_column : bool
        Also every other column of the table that is not sensitive is a quasi-identifier, of weight 1 (those listed only
        carry weights).
    requirements : tuple of Requirement
        What each equivalence class must meet; all of them. Several may be about one sensitive attribute.
    masks : tuple of Mask, optional
        The permitted masks, each the tuple of its shown columns; None permits every combination.
    linked : tuple of Group
        Groups of quasi-identifiers that are suppressed together or not at all; of the masks, those that show only a part
        of a group are not permitted.
    algorithm : str
        Name in the registry of solvers; ``'auto'`` chooses.
    time_limit : float, optional
        Seconds after which the solver returns the best it has.
    seed : int
        Seed of the solvers that draw.
    max_suppressed : Fraction, optional
        Of a full-domain recoding the greatest share of the rows that is suppressed beyond it, 0 to 1; None is 0.
    suppress : str, optional
        Text that stands for a suppressed cell; None stands for NULL and keeps the column's type.
    row_order : str
        ``'shuffled'``: the order of the released rows tells nothing of suppressed cells. ``'source'`` keeps the order of the
        source, which may: a suppressed cell is often what its neighbours show.

    Raises
    ------
    PolicyError
        When the parts contradict each other.
    """

    quasi_identifiers: tuple[QuasiIdentifier, ...] = ()
    every_column: bool = False
    requirements: tuple[Requirement, ...] = field(default_factory=lambda: (KAnonymity(k=2),))
    masks: tuple[Mask, ...] | None = None
    linked: tuple[Group, ...] = ()
    algorithm: str = "auto"
    time_limit: float | None = None
    seed: int = 0
    max_suppressed: Fraction | None = None
    suppress: str | None = None
    row_order: str = ROW_ORDERS[0]

    def __post_init__(self) -> None:
        if not self.quasi_identifiers and not self.every_column:
            raise PolicyError("a policy needs at least one quasi-identifier; hint: name the columns that identify people")
        if len(self.quasi_identifiers) > MAX_QUASI_IDENTIFIERS:
            raise PolicyError(
                f"{len(self.quasi_identifiers)} quasi-identifiers are more than {MAX_QUASI_IDENTIFIERS}; hint: drop columns"
            )
        refuse_twice([qi.column for qi in self.quasi_identifiers], "the quasi-identifiers")
        if not self.requirements:
            raise PolicyError("a policy needs a requirement; hint: GUARANTEE k >= 5")
        for requirement in self.requirements:
            if not isinstance(requirement, Requirement):
                raise PolicyError(
                    f"a requirement cannot be a {type(requirement).__name__}; hint: LDiversity(sensitive='disease', l=2)"
                )
        for name in (*(qi.column for qi in self.quasi_identifiers), *self.measured):
            if same_name(name).startswith(OWN):
                raise PolicyError(f'a column cannot be called "{name}": such names are those of the program; hint: rename it')
        if self.masks is not None:
            self._check_masks(self.masks)
        check_links(self.linked, None if self.every_column else [qi.column for qi in self.quasi_identifiers])
        self._check_sensitive()
        self._check_recodings()
        if self.masks is not None:
            recodings = {same_name(qi.column): qi.recoding for qi in self.quasi_identifiers if qi.recoding is not None}
            object.__setattr__(self, "masks", tuple(simplified(mask, recodings) for mask in self.masks))
        if self.permitted_masks == ():
            raise PolicyError(
                "every mask shows only a part of the linked columns: no row could be released; hint: add a mask that shows "
                "all of them, or none"
            )
        if not isinstance(self.algorithm, str) or not self.algorithm:
            raise PolicyError("algorithm must be the name of an algorithm; hint: 'auto'")
        if self.time_limit is not None and not (
            isinstance(self.time_limit, int | float) and self.time_limit is not True and 0 < self.time_limit < inf
        ):
            raise PolicyError("time_limit must be a number of seconds above 0; hint: 60, or leave it out")
        whole(self.seed, "seed", 0)
        if self.max_suppressed is not None:
            object.__setattr__(self, "max_suppressed", fraction(self.max_suppressed, "max_suppressed"))
            if not 0 <= self.max_suppressed <= 1:
                raise PolicyError("max_suppressed must be a share of the rows from 0 to 1; hint: 0.05")
            if self.algorithm != "full_domain":
                raise PolicyError("max_suppressed belongs to the algorithm 'full_domain'; hint: USING full_domain")
        if self.suppress is not None and not isinstance(self.suppress, str):
            raise PolicyError("suppress must be a text, or NULL; hint: suppress := '*'")
        encodable(self.algorithm, "the name of the algorithm")
        encodable(self.suppress or "", "suppress")
        if self.row_order not in ROW_ORDERS:
            raise PolicyError(f"row_order must be one of {', '.join(map(repr, ROW_ORDERS))}")

    def _check_sensitive(self) -> None:
        identifying = {same_name(qi.column) for qi in self.quasi_identifiers}
        shown = map(columns_of, self.masks or ())
        identifying |= {same_name(name) for names in (*shown, *self.linked) for name in names}
        trees: dict[str, str] = {}
        told = [same_name(each.sensitive) for each in self.requirements if not isinstance(each, KAnonymity)]
        if self.people is not None and told.count(same_name(self.people.per)) > 1:
            raise PolicyError(f'two requirements are about "{self.people.per}", which tells people apart; hint: give one')
        if sum(isinstance(each, People) for each in self.requirements) > 1:
            raise PolicyError("people are told apart by two columns; hint: give one")
        for requirement in self.requirements:
            if isinstance(requirement, KAnonymity):
                continue
            if same_name(requirement.sensitive) in identifying:
                raise PolicyError(
                    f'the sensitive column "{requirement.sensitive}" is a quasi-identifier too; hint: a sensitive column is '
                    "released as it is: leave it out of the quasi-identifiers, masks and linked columns"
                    if not isinstance(requirement, People)
                    else f'the column "{requirement.per}" that tells people apart is a quasi-identifier too; hint: it is never '
                    "released: leave it out of the quasi-identifiers, masks and linked columns"
                )
            if isinstance(requirement, TCloseness) and requirement.hierarchy is not None:
                tree = trees.setdefault(same_name(requirement.sensitive), requirement.hierarchy)
                if same_name(tree) != same_name(requirement.hierarchy):
                    raise PolicyError(f'the sensitive column "{requirement.sensitive}" has two hierarchies; hint: name one')

    def _check_recodings(self) -> None:
        recodings = {same_name(qi.column): qi.recoding for qi in self.quasi_identifiers if qi.recoding is not None}
        for name in (name for group in self.linked for name in group):
            if same_name(name) in recodings:
                raise PolicyError(
                    f'the linked column "{name}" is generalized too; hint: linked columns are shown or suppressed, no more'
                )
        for qi in self.quasi_identifiers:
            if isinstance(qi.recoding, Rectangles):
                if same_name(qi.recoding.beside) == same_name(qi.column):
                    raise PolicyError(
                        f'the coordinate "{qi.column}" is put in rectangles with itself; hint: (lat, lon) IN RECTANGLES'
                    )
                other = recodings.get(same_name(qi.recoding.beside))
                if not isinstance(other, Rectangles) or same_name(other.beside) != same_name(qi.column):
                    raise PolicyError(
                        f'the coordinate "{qi.column}" needs "{qi.recoding.beside}" beside it; hint: (lat, lon) IN RECTANGLES'
                    )
        if any(isinstance(each, Summary) for each in recodings.values()):
            self._check_summaries()

    def _check_summaries(self) -> None:
        for refused, what in (
            (self.masks is not None, "masks"),
            (bool(self.linked), "linked columns"),
            (self.people is not None, "people that are counted"),
        ):
            if refused:
                raise PolicyError(
                    f"RANGES and SETS cannot be combined with {what}; hint: take intervals or a hierarchy in their place"
                )

    def _check_masks(self, masks: tuple[Mask, ...]) -> None:
        if not masks:
            raise PolicyError(
                "the list of masks is empty: no row could be released; hint: add the mask [], which suppresses all"
            )
        if len(masks) > MAX_LISTED_MASKS:
            raise PolicyError(
                f"{len(masks)} masks are more than {MAX_LISTED_MASKS}; hint: leave the masks out to permit every one"
            )
        columns = [qi.column for qi in self.quasi_identifiers]
        known = {same_name(column) for column in columns}
        for number, mask in enumerate(masks, 1):
            for name in columns_of(mask):
                if same_name(named(name, f"mask {number}")) not in known and not self.every_column:
                    raise UnknownColumnError.of(name, columns, f"mask {number}")
            refuse_twice(columns_of(mask), f"the columns of mask {number}")

    @property
    def least_class_size(self) -> int:
        """Return the smallest class that can meet all requirements, in rows."""
        return max(requirement.least_class_size for requirement in self.requirements)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Return the sensitive attributes, each once, in the order in which the requirements first mention them."""
        found: dict[str, str] = {}
        for requirement in self.requirements:
            if not isinstance(requirement, KAnonymity | People):
                found.setdefault(same_name(requirement.sensitive), requirement.sensitive)
        return tuple(found.values())

    @property
    def measured(self) -> tuple[str, ...]:
        """Return the columns that classes are measured by: the sensitive attributes, then what tells people apart."""
        return self.sensitive if self.people is None else (*self.sensitive, self.people.per)

    @property
    def named_columns(self) -> tuple[tuple[str, str], ...]:
        """Return every column that the policy names, beside what names it."""
        identifying = "weights or recodings" if self.every_column else "the policy"  # that is all that they are listed for
        masks = [(f"mask {number}", name) for number, mask in enumerate(self.masks or (), 1) for name in columns_of(mask)]
        return (
            *((identifying, qi.column) for qi in self.quasi_identifiers),
            *(("the policy", qi.recoding.beside) for qi in self.quasi_identifiers if isinstance(qi.recoding, Rectangles)),
            *(("a requirement", name) for name in self.measured),
            *masks,
            *((f"linked group {number}", name) for number, group in enumerate(self.linked, 1) for name in group),
        )

    @property
    def people(self) -> People | None:
        """Return the requirement that counts people, if there is one."""
        return next((each for each in self.requirements if isinstance(each, People)), None)

    @property
    def generalized(self) -> tuple[str, ...]:
        """Return the quasi-identifiers whose cells may be coarsened, in their order; their released columns are texts."""
        return tuple(qi.column for qi in self.quasi_identifiers if qi.recoding is not None)

    @property
    def levelled(self) -> frozenset[str]:
        """Return the quasi-identifiers of which a mask shows some levels only."""
        return frozenset(each.column for mask in self.masks or () for each in mask if isinstance(each, AtLevels))

    @property
    def summarized(self) -> dict[str, Summary]:
        """Return the columns of which classes show the range or the set of their own values."""
        return {qi.column: qi.recoding for qi in self.quasi_identifiers if isinstance(qi.recoding, Summary)}

    @property
    def grouped(self) -> tuple[str, ...]:
        """Return the columns whose labels are put together in groups that the program chooses before it solves."""
        return tuple(qi.column for qi in self.quasi_identifiers if generalizations.chooses_groups(qi.recoding))

    @property
    def rectangles(self) -> tuple[tuple[str, str], ...]:
        """Return the pairs of coordinates that are released as rectangles, each once, in their order."""
        beside = {qi.column: qi.recoding.beside for qi in self.quasi_identifiers if isinstance(qi.recoding, Rectangles)}
        spelled = {same_name(name): name for name in beside}
        place = {name: number for number, name in enumerate(beside)}
        pairs = ((name, spelled[same_name(other)]) for name, other in beside.items())
        return tuple((one, other) for one, other in pairs if place[one] < place[other])

    @property
    def tables(self) -> tuple[str, ...]:
        """Return the names of the tables that the policy reads beside the source, each once, in their order."""
        named_by = [each.table for each in self.requirements if isinstance(each, TCloseness)]
        named_by += [generalizations.table_of(qi.recoding) for qi in self.quasi_identifiers]
        return tuple(dict.fromkeys(name for name in named_by if name is not None))

    @property
    def permitted_masks(self) -> tuple[Mask, ...] | None:
        """Return the masks that show each linked group whole or not at all; None where every combination may be tried."""
        return self.masks if self.masks is None or not self.linked else unsplit(self.masks, self.linked)

    def resolve(self, columns: Sequence[str]) -> Policy:
        """Return the policy with each column spelled as in ``columns``, and no quasi-identifier left open.

        Parameters
        ----------
        columns : sequence of str
            The columns of the table in their order, the sensitive ones included.

        Raises
        ------
        UnknownColumnError
            When the policy names a column that is not there.
        PolicyError
            When every column is sensitive.
        """
        given = {same_name(qi.column): qi for qi in self.quasi_identifiers}
        spelled = {same_name(column): column for column in columns}
        for role, name in self.named_columns:
            if same_name(name) not in spelled:
                raise UnknownColumnError.of(name, columns, role)
        if self.every_column:
            offered = {key: column for key, column in spelled.items() if key not in set(map(same_name, self.measured))}
            chosen = [replace(given.get(key, QuasiIdentifier(column=column)), column=column) for key, column in offered.items()]
        else:
            chosen = [replace(qi, column=spelled[key]) for key, qi in given.items()]
        chosen = [_respelled(qi, spelled) for qi in chosen]
        resolved = replace(self, quasi_identifiers=tuple(chosen), every_column=False)

        requirements = tuple(respelled(each, spelled) for each in self.requirements)
        masks = None if self.masks is None else tuple(renamed(mask, spelled) for mask in self.masks)
        linked = tuple(tuple(spelled[same_name(name)] for name in group) for group in self.linked)
        return replace(resolved, requirements=requirements, masks=masks, linked=linked)

    def to_json(self) -> str:
        """Return the canonical JSON text: sorted keys, no spaces, exact weights."""
        data = {
            "quasi_identifiers": [qi.to_json() for qi in self.quasi_identifiers],
            "every_column": self.every_column,
            "requirements": [requirement.to_json() for requirement in self.requirements],
            "masks": None if self.masks is None else [forms.to_json(mask) for mask in self.masks],
            "linked": [list(group) for group in self.linked],
            "algorithm": self.algorithm,
            "time_limit": self.time_limit,
            "seed": self.seed,
            "max_suppressed": None if self.max_suppressed is None else plain_number(self.max_suppressed),
            "suppress": self.suppress,
            "row_order": self.row_order,
        }
        return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Policy:
        """Read a policy back from JSON; keys left out take their defaults, unknown keys are an error."""
        data = known_keys(parsed(text, "the policy"), {*cls.__dataclass_fields__}, "the policy")
        if "quasi_identifiers" in data:
            data["quasi_identifiers"] = tuple(
                QuasiIdentifier(**known_keys(item, {*QuasiIdentifier.__dataclass_fields__}, "a quasi-identifier", ["column"]))
                for item in listed(data["quasi_identifiers"], "quasi_identifiers")
            )
        if "requirements" in data:
            data["requirements"] = tuple(requirement_from_json(item) for item in listed(data["requirements"], "requirements"))
        if data.get("masks") is not None:
            data["masks"] = tuple(map(forms.from_json, listed(data["masks"], "masks")))
        if "linked" in data:
            data["linked"] = tuple(tuple(listed(group, "a linked group")) for group in listed(data["linked"], "linked"))
        if not isinstance(data.get("every_column", False), bool):
            raise PolicyError("every_column must be true or false")
        return cls(**data)

    @classmethod
    def of(
        cls,
        *,
        k: int = 2,
        quasi_identifiers: Iterable[str | QuasiIdentifier] | None = None,
        masks: Iterable[Iterable[str | AtLevels]] | None = None,
        linked: Iterable[Iterable[str]] | None = None,
        weights: Mapping[str, object] | None = None,
        recodings: Mapping[str, Generalization] | None = None,
        sensitive: str | None = None,
        l: Any = None,  # noqa: E741 - its name everywhere
        variant: str | None = None,
        c: Any = None,
        t: Any = None,
        metric: str | None = None,
        hierarchy: str | None = None,
        per: str | None = None,
        requirements: Iterable[Requirement] = (),
        **options: Any,
    ) -> Policy:
        """Build a policy from the names that every entrance of kanon-sql shares.

        Parameters
        ----------
        k : int
            Least number of rows of a class.
        quasi_identifiers : iterable of str, optional
            Names of the quasi-identifiers; None takes every column that is not sensitive.
        masks : iterable of iterable of str, optional
            The permitted masks, as lists of shown columns; None permits all. Levels that only masks name are permitted too.
        linked : iterable of iterable of str, optional
            Columns that are suppressed together or not at all, as lists.
        weights : mapping, optional
            Cost of a suppressed cell by column, 1 where it is not named.
        recodings : mapping, optional
            How the cells of a column are coarsened, by column.
        sensitive : str, optional
            The sensitive attribute that ``l`` and ``t`` are about.
        l, variant, c : optional
            Its l-diversity, as in :class:`~kanon_sql.requirements.LDiversity`.
        t, metric, hierarchy : optional
            Its t-closeness, as in :class:`~kanon_sql.requirements.TCloseness`.
        per : str, optional
            The column that tells people apart: ``k`` counts people then, and the column is not released.
        requirements : iterable of Requirement
            More requirements, such as those on further sensitive attributes.
        **options
            ``algorithm``, ``time_limit``, ``seed``, ``max_suppressed``, ``suppress``, ``row_order``.
        """
        lists_of: dict[str, object] = {"quasi_identifiers": quasi_identifiers, "masks": masks, "linked": linked}
        for name, value in lists_of.items():
            if isinstance(value, str):
                raise PolicyError(f"{name} must be a list of names, not one text; hint: ['zip', 'age']")
        about = named_requirements(sensitive, l=l, variant=variant, c=c, t=t, metric=metric, hierarchy=hierarchy)
        masks, linked = None if masks is None else list(masks), list(linked or ())
        for lists, wanted in (
            (masks or (), "a mask must be a list of the columns it shows; hint: [['zip', 'age'], []]"),
            (linked, "a linked group must be a list of columns; hint: [['city', 'zip']]"),
        ):
            if not all(isinstance(each, Iterable) and not isinstance(each, str) for each in lists):
                raise PolicyError(wanted)
        permitted = None if masks is None else tuple(tuple(mask) for mask in masks)
        listed_qis = [
            each if isinstance(each, QuasiIdentifier) else QuasiIdentifier(column=named(each, "a quasi-identifier"))
            for each in quasi_identifiers or ()
        ]
        refuse_twice([qi.column for qi in listed_qis], "the quasi-identifiers")
        chosen = {same_name(qi.column): qi for qi in listed_qis}
        coarsened = {qi.column: qi.recoding for qi in listed_qis if qi.recoding is not None} | dict(recodings or {})
        spelled = {same_name(column): column for column in coarsened}
        for each in (each for mask in permitted or () for each in mask if isinstance(each, AtLevels)):
            column = spelled.setdefault(same_name(each.column), each.column)
            coarsened[column] = generalizations.joined(coarsened.get(column, each.recoding), each.recoding)
        told: tuple[tuple[str, Mapping[str, Any]], ...] = (("weight", weights or {}), ("recoding", coarsened))
        for what, given in told:
            for column, own in given.items():
                key = same_name(named(column, f"a {what}"))
                if quasi_identifiers is not None and key not in chosen:
                    raise UnknownColumnError.of(column, [qi.column for qi in chosen.values()], f"a {what}")
                chosen[key] = replace(chosen.get(key, QuasiIdentifier(column=column)), **{what: own})
        return cls(
            quasi_identifiers=tuple(chosen.values()),
            every_column=quasi_identifiers is None,
            requirements=(KAnonymity(k=k), *([] if per is None else [People(k=k, per=per)]), *about, *requirements),
            masks=permitted,
            linked=tuple(tuple(group) for group in linked),
            **options,
        )


def _respelled(qi: QuasiIdentifier, spelled: Mapping[str, str]) -> QuasiIdentifier:
    """Return a quasi-identifier whose recoding spells the other column as the table does."""
    if not isinstance(qi.recoding, Rectangles):
        return qi
    return replace(qi, recoding=Rectangles(beside=spelled[same_name(qi.recoding.beside)]))
