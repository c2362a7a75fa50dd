"""The search for the policy that answers queries best, among those with one guarantee: weights, levels and masks.

Each candidate is released, and the queries run on it; the best so far is changed in one place at a time. The default policy
is the first candidate, and the result is never worse.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from time import monotonic
from typing import Any

from kanon_sql.clause.queries import Query
from kanon_sql.clause.workload import Use
from kanon_sql.engines.duckdb.connect.certificates import releases
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.engines.duckdb.gather.sources import release_of_table
from kanon_sql.errors import InfeasibleError, KanonWarning, PolicyError
from kanon_sql.model.masks import Mask
from kanon_sql.model.policy import Policy
from kanon_sql.model.recodings import Generalization
from kanon_sql.report.query_errors import QueryErrors, query_errors, together

_WEIGHTS = tuple(Fraction(each) for each in ("1/16", "1/4", "1", "4", "16"))
"""The weights of columns that are tried."""

_SHARE = 25
"""A candidate gets this part of the time limit at most, so that many are tried."""

_RELEASE = "CREATE OR REPLACE TEMP TABLE released AS {}"

_NO_TREES: Mapping[str, list[str]] = {"key": [], "value": []}


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What may be chosen in a policy, apart from its guarantee."""

    weights: tuple[Fraction, ...]  # of each quasi-identifier
    recodings: tuple[Generalization | None, ...]  # of each quasi-identifier
    masked: bool = False  # whether only the columns that some query uses together are shown together


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A policy, and how far the answers of its release are from those of the source."""

    policy: Policy
    errors: QueryErrors  # of all queries together
    cost: Fraction  # the cost of its release
    suppressed: float  # the share of its cells that are suppressed

    @property
    def score(self) -> tuple[float, float]:
        """Return what candidates are ordered by: the median error, then the mean one."""
        errors = self.errors.errors
        return (self.errors.median or 0.0, sum(errors) / len(errors) if errors else 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned:
    """The result of a search."""

    default: Tried  # the default policy
    best: Tried  # the best policy; the default one where nothing is better
    releases: int  # how many releases were made
    seconds: float  # how long the search took


@dataclass(slots=True, kw_only=True)
class Search:
    """A search over the policies of one guarantee."""

    con: Connection  # it has the table ``source``
    queries: Sequence[Query]  # the queries that run on the releases
    start: Policy  # the default policy, resolved
    # for some quasi-identifiers the recodings that may take the place of that of the default
    levels: Mapping[str, Sequence[Generalization]]
    uses: Mapping[str, Use]  # what the queries use of each column
    seconds: float  # the time limit of the search
    announce: Callable[[Tried, int], None]  # gets the best so far, and the number of releases, after each of them
    drop: Sequence[str] = ()  # columns of the table that no release has
    releases: int = 0
    begun: float = 0.0

    def run(self) -> Tuned:
        """Return the best policy that is found in time; never one that is worse than the default.

        Raises
        ------
        PolicyError, InfeasibleError
            When the default cannot be released, or a query cannot run.
        """
        with warnings.catch_warnings():  # a release that is made of the policy warns again
            warnings.simplefilter("ignore", KanonWarning)
            return self._run()

    def _run(self) -> Tuned:
        self.begun = monotonic()
        default = self._tried(self.start)
        whole = monotonic() - self.begun
        self.announce(default, self.releases)
        plain = Setting(
            weights=tuple(qi.weight for qi in self.start.quasi_identifiers),
            recodings=tuple(qi.recoding for qi in self.start.quasi_identifiers),
        )
        found: dict[Setting, Tried] = {}
        # one more release will be made as the default was; where that takes long, a part of the time is for the search
        deadline = self.begun + max(self.seconds - whole, whole + self.seconds / 4)
        for setting in self._first(plain):
            self._visit(setting, found, deadline)
        changed = True
        while changed and monotonic() < deadline:
            changed = False
            for setting in self._near(min(found, key=lambda each: found[each].score, default=plain)):
                before = min((each.score for each in found.values()), default=default.score)
                self._visit(setting, found, deadline)
                if min((each.score for each in found.values()), default=before) < before:
                    changed = True
                    break
                if monotonic() >= deadline:
                    break
        best = default
        for setting in sorted(found, key=lambda each: found[each].score)[:2]:
            if found[setting].score >= default.score:
                break
            again = self._attempt(self._policy(setting))
            if again is not None and again.score < best.score:
                best = again
                break
        self.announce(best, self.releases)
        return Tuned(default=default, best=best, releases=self.releases, seconds=monotonic() - self.begun)

    def _first(self, plain: Setting) -> Iterator[Setting]:
        """Yield weights by use, with the levels of the default and with those that answer the queries, with masks or not."""
        most = max((self.uses[qi.column].points for qi in self.start.quasi_identifiers), default=0) or 1
        shares = [Fraction(self.uses[qi.column].points, most) for qi in self.start.quasi_identifiers]
        coarse = tuple((self.levels.get(qi.column) or (qi.recoding,))[0] for qi in self.start.quasi_identifiers)
        for recodings in dict.fromkeys((plain.recodings, coarse)):
            for least in (Fraction(1, 4), Fraction(1, 16)):
                weights = tuple(_nearest(max(share, least)) for share in shares)
                for masked in (False, True):
                    yield Setting(weights=weights, recodings=recodings, masked=masked)
            yield replace(plain, recodings=recodings)

    def _near(self, setting: Setting) -> Iterator[Setting]:
        """Yield settings that differ in one place: levels first, as they change most."""
        for place, qi in enumerate(self.start.quasi_identifiers):
            for recoding in dict.fromkeys((qi.recoding, *self.levels.get(qi.column, ()))):
                if recoding != setting.recodings[place]:
                    yield replace(setting, recodings=_put(setting.recodings, place, recoding))
        yield replace(setting, masked=not setting.masked)
        for place, weight in enumerate(setting.weights):
            for other in _WEIGHTS:
                if other in (weight * 4, weight / 4):
                    yield replace(setting, weights=_put(setting.weights, place, other))

    def _visit(self, setting: Setting, found: dict[Setting, Tried], deadline: float) -> None:
        """Try a setting with little effort, unless it is known, or the time is up."""
        left = deadline - monotonic()
        if setting in found or left <= 0:
            return
        policy = self._policy(setting)
        limit = max(1.0, min(left, self.seconds / _SHARE))
        tried = self._attempt(replace(policy, effort="fast", time_limit=limit))
        if tried is not None:
            found[setting] = replace(tried, policy=policy)
            self.announce(min(found.values(), key=lambda each: each.score), self.releases)

    def _policy(self, setting: Setting) -> Policy:
        identifying = tuple(
            replace(qi, weight=weight, recoding=recoding)
            for qi, weight, recoding in zip(self.start.quasi_identifiers, setting.weights, setting.recodings, strict=True)
        )
        return replace(self.start, quasi_identifiers=identifying, masks=self._masks() if setting.masked else self.start.masks)

    def _masks(self) -> tuple[Mask, ...]:
        """Return all columns, those that each query uses, and none."""
        names = tuple(qi.column for qi in self.start.quasi_identifiers)
        used = [tuple(name for name in names if name in {*query.columns, *query.means}) for query in self.queries]
        return tuple(dict.fromkeys((names, *used, ())))

    def _attempt(self, policy: Policy) -> Tried | None:
        """Return what a policy comes to; None where there is no release of it in time."""
        try:
            return self._tried(policy)
        except (InfeasibleError, PolicyError):
            return None

    def _tried(self, policy: Policy) -> Tried:
        self.releases += 1
        self.con.execute(_RELEASE.format(release_of_table(self.con.session, "source", policy, self.drop, "command")))
        certificate = releases(self.con)[-1]
        errors = together(query_errors(self.con.raw, self.queries, "released", _NO_TREES))
        cells = certificate.cells or 1
        return Tried(policy=policy, errors=errors, cost=certificate.cost, suppressed=certificate.suppressed_cells / cells)


def _nearest(share: Fraction) -> Fraction:
    """Return the weight that is nearest to a share."""
    return min(_WEIGHTS, key=lambda each: abs(each - share))


def _put(values: tuple[Any, ...], place: int, value: Any) -> tuple[Any, ...]:
    return (*values[:place], value, *values[place + 1 :])
