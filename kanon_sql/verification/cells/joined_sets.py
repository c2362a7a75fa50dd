"""The groups that rows of several grouping sets name together: each has to be a row of the system, so that it is protected.

Rows of two grouping sets have people in common, and so have rows of all. These groups are the rows of a grouping set of the
tables, or a certificate lists a grouping set for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import reduce
from itertools import combinations

from kanon_sql.errors import CertificateError
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.verification.cells.exchanges import Exchanges
from kanon_sql.verification.cells.published_system import PublishedSystem
from kanon_sql.verification.cells.small_rests import covered, small_rests

Keys = frozenset[int]


def check_listed(tabulation: Tabulation, joined_sets: Sequence[tuple[int, ...]]) -> None:
    """Check that each listed grouping set has the keys of two sets of the tables, or of all.

    Raises
    ------
    CertificateError
        When one has others, or is listed twice.
    """
    permitted = {tuple(sorted(each)) for each in _missing(tabulation)}
    if len({*joined_sets}) < len(joined_sets) or not permitted.issuperset(joined_sets):
        raise CertificateError("joined_sets", "one of them is listed twice, or does not join grouping sets of a table")


def check_complete(system: PublishedSystem, exchanges: Exchanges) -> None:
    """Check that the groups by the keys of each two grouping sets, and by those of all, are rows of the system.

    Groups that an exchange of keys opens need not be.

    Raises
    ------
    CertificateError
        When a grouping set is missing; the error names its keys.

    Notes
    -----
    O(g^2) for g grouping sets, and O(b g) for b base cells and each union of two sets that is not in the system.
    """
    listed = {frozenset(each) for each in system.grouping_sets}
    counts = Counter(system.sets)
    for union in sorted(map(sorted, _missing(system.tabulation) - listed)):
        groups = [tuple(cell.keys[key] for key in union) for cell in system.cells]
        count = len({*groups})
        # as many rows as groups, and as many pairs of both: each group is a row
        same = (place for place, rows in counts.items() if rows == count and _pairs(system, place, groups) == count)
        if next(same, None) is None and not _is_open(system, tuple(union), exchanges):
            keys = ", ".join(system.tabulation.keys[key] for key in union)
            raise CertificateError("joined_sets", f"the groups by {keys} are missing, which rows name together")


def _is_open(system: PublishedSystem, union: tuple[int, ...], exchanges: Exchanges) -> bool:
    """Return whether the groups of some keys, and what is left of rows without one of them, need no witness."""
    whole = PublishedSystem(system.tabulation, system.requested, system.cells, [union], exchanges)
    groups = {row for row in range(whole.rows) if whole.grouping_sets[whole.sets[row]] == union}
    rests = (rest for rest in small_rests(whole) if rest[1] in groups)
    return not any(map(whole.needs_witness, groups)) and all(covered(whole, rest) for rest in rests)


def _missing(tabulation: Tabulation) -> set[Keys]:
    """Return the keys of each two grouping sets, and of all, unless they are those of a grouping set."""
    known = {frozenset(each) for each in tabulation.sets}
    return ({one | other for one, other in combinations(known, 2)} | {reduce(Keys.union, known)}) - known


def _pairs(system: PublishedSystem, place: int, groups: Sequence[tuple[str | None, ...]]) -> int:
    """Return how many pairs of a group and a row of a grouping set there are."""
    return len({(rows[place], group) for rows, group in zip(system.ancestors, groups, strict=True)})
