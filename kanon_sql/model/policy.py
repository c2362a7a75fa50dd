"""What a release guarantees: quasi-identifiers, requirements, permitted masks, and how to solve for them.

The clause, the table functions, Python and the command line all compile to a :class:`Policy`; its canonical JSON form is
what travels inside SQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Unpack

from kanon_sql.errors import PolicyError, UnknownColumnError
from kanon_sql.model import policy_checks as checks
from kanon_sql.model import recodings as generalizations
from kanon_sql.model.guarantee import Guarantee
from kanon_sql.model.known_columns_checks import check_known
from kanon_sql.model.linked_columns import Group, check_links, unsplit
from kanon_sql.model.mask_costs import checked_costs, key_of
from kanon_sql.model.masks import AtLevels, Mask, columns_of, renamed, simplified
from kanon_sql.model.policy_arguments import policy_parts
from kanon_sql.model.policy_checks import check_population
from kanon_sql.model.policy_options import POLICY_DEFAULTS, PolicyOptions, completed, spelled_out
from kanon_sql.model.policy_texts import lines, names, policy_fields, policy_text
from kanon_sql.model.quasi_identifier import QuasiIdentifier, rectangle_pairs
from kanon_sql.model.recodings import Aggregate, Generalization, Rectangles, Summary
from kanon_sql.model.requirements import respelled
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.unlisted import UNLISTED_LIMIT, read_limit
from kanon_sql.model.validation import fraction, same_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy(Guarantee):
    """A guarantee about a release, and how to look for it.

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
    mask_costs : tuple of Fraction, optional
        What a row costs under each of the masks; None counts the weights of suppressed cells.
    linked : tuple of Group
        Groups of quasi-identifiers that are suppressed together or not at all. A mask that shows only a part of a group is
        not permitted.
    keep : tuple of str, optional
        Columns that are released unchanged on purpose. Where it is given, even if empty, every column of the table has to have
        a role; None leaves the others unchanged.
    pseudonyms : tuple of str
        Columns that show tokens instead of identifiers. What tells people apart may be one; then it is released.
    linkable : tuple of str
        Those of them whose tokens may link rows that single people out together.
    algorithm : str
        Name in the registry of solvers; ``'auto'`` chooses.
    time_limit : float, optional
        Seconds after which the solver returns the best it has.
    effort : str
        ``'fast'``, ``'default'`` or ``'thorough'``: how many steps a search takes that no time limit ends.
    seed : int
        Seed of the solvers that draw.
    max_suppressed : Fraction, optional
        For full-domain recoding: the largest share of rows that may be suppressed as well, 0 to 1. None means 0.
    suppress : str, optional
        Text that stands for a suppressed cell; None stands for NULL and keeps the column's type.
    row_order : str
        ``'shuffled'``: the order reveals nothing about suppressed cells; ``'source'``: that of the source, which may.
    unlisted_limit : Fraction
        Without ``keep``: the share of the rows that a column without a role may single out, see `kanon_sql.model.unlisted`.

    Raises
    ------
    PolicyError
        When the parts contradict each other.

    Examples
    --------
    >>> policy = Policy.of(k=5, quasi_identifiers=["zip", "age"], sensitive="disease", l=2)
    >>> [requirement.describe() for requirement in policy.requirements]
    ['k >= 5', 'l(disease) >= 2']
    >>> policy == Policy.from_json(policy.to_json())
    True
    """

    quasi_identifiers: tuple[QuasiIdentifier, ...] = ()
    every_column: bool = False
    masks: tuple[Mask, ...] | None = None
    mask_costs: tuple[Fraction, ...] | None = None
    linked: tuple[Group, ...] = ()
    keep: tuple[str, ...] | None = None
    pseudonyms: tuple[str, ...] = ()
    linkable: tuple[str, ...] = ()
    algorithm: str = "auto"
    time_limit: float | None = None
    effort: str = checks.EFFORTS[0]
    seed: int = 0
    max_suppressed: Fraction | None = None
    suppress: str | None = None
    row_order: str = checks.ROW_ORDERS[0]
    unlisted_limit: Fraction = UNLISTED_LIMIT

    def __post_init__(self) -> None:
        identifying = [qi.column for qi in self.quasi_identifiers]
        checks.check_parts(self.quasi_identifiers, self.requirements, every_column=self.every_column)
        checks.check_names([*identifying, *self.measured])
        if self.masks is not None:
            checks.check_masks(self.masks, identifying, every_column=self.every_column)
        taken = (*identifying, *self.sensitive)
        checks.check_pseudonyms(self.pseudonyms, self.linkable, self.keep, taken, every_column=self.every_column)
        checks.check_keep(self.keep, identifying, (*self.sensitive, *self.dropped))
        check_links(self.linked, None if self.every_column else identifying)
        checks.check_sensitive(self.requirements, identifying, *map(columns_of, self.masks or ()), *self.linked)
        if self.mask_costs is not None:
            object.__setattr__(self, "mask_costs", checked_costs(self.mask_costs, self.masks, self.quasi_identifiers))
        checks.check_recodings(self.quasi_identifiers, self.linked, masks=self.masks is not None)
        check_population(self.population_requirements, self.quasi_identifiers)
        check_known(self.requirements, self.quasi_identifiers, self.linked, self.pseudonyms, self.every_column)
        if self.masks is not None:
            recodings = {same_name(qi.column): qi.recoding for qi in self.quasi_identifiers if qi.recoding is not None}
            object.__setattr__(self, "masks", tuple(simplified(mask, recodings) for mask in self.masks))
        if self.permitted_masks == ():
            raise PolicyError(
                "every mask shows only some of the linked columns; hint: add a mask that shows all or none of them"
            )
        checks.check_search(self.algorithm, self.time_limit, self.effort, self.seed)
        if self.max_suppressed is not None:
            object.__setattr__(self, "max_suppressed", fraction(self.max_suppressed, "max_suppressed"))
            checks.check_share(self.max_suppressed, self.algorithm)
        checks.check_output(self.algorithm, self.suppress, self.row_order)
        object.__setattr__(self, "unlisted_limit", read_limit(self.unlisted_limit))

    @property
    def named_columns(self) -> tuple[tuple[str, str], ...]:
        """Return every column that the policy names, with the part that names it."""
        identifying = "weights or recodings" if self.every_column else "the policy"  # that is all that they are listed for
        masks = [(f"mask {number}", name) for number, mask in enumerate(self.masks or (), 1) for name in columns_of(mask)]
        return (
            *((identifying, qi.column) for qi in self.quasi_identifiers),
            *(("the policy", qi.recoding.beside) for qi in self.quasi_identifiers if isinstance(qi.recoding, Rectangles)),
            *(("the guarantee", name) for name in self.measured),
            *masks,
            *((f"linked group {number}", name) for number, group in enumerate(self.linked, 1) for name in group),
            *(("KEEP", name) for name in self.keep or ()),
        )

    @property
    def dropped(self) -> tuple[str, ...]:
        """Return the column that tells people apart, unless it shows tokens: it is not released."""
        tokens = set(map(same_name, self.pseudonyms))
        return () if self.people is None or same_name(self.people.per) in tokens else (self.people.per,)

    @property
    def generalized(self) -> tuple[str, ...]:
        """Return the quasi-identifiers whose cells may be generalized, in their order; texts except the `aggregated`."""
        return tuple(qi.column for qi in self.quasi_identifiers if qi.recoding is not None)

    @property
    def levelled(self) -> frozenset[str]:
        """Return the quasi-identifiers that a mask shows only at some of their levels."""
        return frozenset(each.column for mask in self.masks or () for each in mask if isinstance(each, AtLevels))

    @property
    def summarized(self) -> dict[str, Summary]:
        """Return the columns whose classes show the range, the set, the mean or the median of their own values."""
        return {qi.column: qi.recoding for qi in self.quasi_identifiers if isinstance(qi.recoding, Summary)}

    @property
    def aggregated(self) -> dict[str, Aggregate]:
        """Return the columns whose classes show the mean or the median: released as numbers or dates, not as texts."""
        return {qi.column: qi.recoding for qi in self.quasi_identifiers if isinstance(qi.recoding, Aggregate)}

    @property
    def grouped(self) -> tuple[str, ...]:
        """Return the columns whose labels are put together in groups that the program chooses before it solves."""
        return tuple(qi.column for qi in self.quasi_identifiers if generalizations.chooses_groups(qi.recoding))

    @property
    def rectangles(self) -> tuple[tuple[str, str], ...]:
        """Return the pairs of coordinates that are released as rectangles, each once, in their order."""
        return rectangle_pairs(self.quasi_identifiers)

    @property
    def tables(self) -> tuple[str, ...]:
        """Return the names of the tables that the policy reads in addition to the source, each once, in their order."""
        named_by = [each.table for each in self.closeness]
        named_by += [generalizations.table_of(qi.recoding) for qi in self.quasi_identifiers]
        return tuple(dict.fromkeys(name for name in named_by if name is not None))

    @property
    def permitted_masks(self) -> tuple[Mask, ...] | None:
        """Return the masks that show each linked group whole or not at all; None where every combination may be tried."""
        return self.masks if self.masks is None or not self.linked else unsplit(self.masks, self.linked)

    @property
    def costed_masks(self) -> dict[Mask, Fraction] | None:
        """Return the permitted masks with what a row costs under each; None where the weights of columns count."""
        if self.masks is None or self.mask_costs is None:
            return None
        costs = dict(zip(map(key_of, self.masks), self.mask_costs, strict=True))
        return {mask: costs[key_of(mask)] for mask in self.permitted_masks or ()}

    def resolve(self, columns: Sequence[str], surface: Surface = "clause") -> Policy:
        """Return the policy with each column spelled as in ``columns``, and no quasi-identifier left open.

        Parameters
        ----------
        columns : sequence of str
            The columns of the table in their order, the sensitive ones included.
        surface : Surface
            The surface. Errors name its options.

        Raises
        ------
        UnknownColumnError
            When the policy names a column that is not there.
        PolicyError
            When every column is sensitive or kept, or with ``keep`` one has no role.
        """
        given = {same_name(qi.column): qi for qi in self.quasi_identifiers}
        spelled = {same_name(column): column for column in columns}
        for role, name in self.named_columns:
            if same_name(name) not in spelled:
                raise UnknownColumnError.of(name, columns, role)
        if self.every_column:
            apart = set(map(same_name, (*self.measured, *(self.keep or ()))))
            offered = {key: column for key, column in spelled.items() if key not in apart}
            chosen = [replace(given.get(key, QuasiIdentifier(column=column)), column=column) for key, column in offered.items()]
        else:
            chosen = [replace(qi, column=spelled[key]) for key, qi in given.items()]
        chosen = [qi.respelled(spelled) for qi in chosen]
        resolved = replace(self, quasi_identifiers=tuple(chosen), every_column=False)

        requirements = tuple(respelled(each, spelled) for each in self.requirements)
        masks = None if self.masks is None else tuple(renamed(mask, spelled) for mask in self.masks)
        linked = tuple(tuple(spelled[same_name(name)] for name in group) for group in self.linked)
        keep = None if self.keep is None else tuple(spelled[same_name(name)] for name in self.keep)
        pseudonyms, linkable = (tuple(spelled[same_name(name)] for name in each) for each in (self.pseudonyms, self.linkable))
        found = replace(resolved, requirements=requirements, masks=masks, linked=linked, keep=keep)
        found = replace(found, pseudonyms=pseudonyms, linkable=linkable)
        found.check_roles(columns, surface)
        return found

    def resolve_row_types(self, columns: Sequence[str]) -> Policy:
        """Return the same for the columns of row types, among which kept ones are not."""
        found = replace(self, keep=None, pseudonyms=(), linkable=()).resolve(columns)
        return replace(found, keep=self.keep, pseudonyms=self.pseudonyms, linkable=self.linkable)

    def check_roles(self, columns: Sequence[str], surface: Surface) -> None:
        """Raise a PolicyError if a column has no role and the policy lists the columns released unchanged."""
        if self.keep is not None:
            checks.check_roles(columns, [name for _, name in self.named_columns], surface)

    def __repr__(self) -> str:
        """Return a few lines, in which masks are counted; the only value of a cell is that of alpha, part of the guarantee."""
        masks, groups = len(self.masks or ()), len(self.linked)
        limit = "" if self.time_limit is None else f", at most {self.time_limit:g} s"
        listed = names(qi.column for qi in self.quasi_identifiers)
        return lines(
            {
                "guarantee": ", ".join(each.describe() for each in self.requirements),
                "quasi-identifiers": "every column that is not sensitive" if self.every_column else listed,
                "coarsened": names(self.generalized),
                "masks": f"{masks:,} permitted" if masks else "",
                "linked": f"{groups} group{'s' * (groups != 1)} of columns" if groups else "",
                "kept": names(self.keep or ()),
                "solver": f"{self.algorithm}, seed {self.seed}{limit}",
            }
        )

    def to_json(self) -> str:
        """Return the canonical JSON text: sorted keys, no spaces, exact weights."""
        return policy_text({name: getattr(self, name) for name in self.__dataclass_fields__})

    @classmethod
    def from_json(cls, text: str) -> Policy:
        """Read a policy back from JSON; keys left out take their defaults, unknown keys are an error."""
        return cls(**policy_fields(text, {*cls.__dataclass_fields__} - {"mask_costs"}))

    @classmethod
    @spelled_out(POLICY_DEFAULTS)
    def of(cls, **options: Unpack[PolicyOptions[Generalization]]) -> Policy:
        """Build a policy from the names that every entrance of kanon-sql shares.

        Parameters
        ----------
        **options
            As in :class:`~kanon_sql.model.policy_options.PolicyOptions`.
        """
        return cls(**policy_parts(completed("Policy.of", options, POLICY_DEFAULTS)))
