"""What PROTECT asks of a table of counts and sums: which rows are primary, and what of the table may be suppressed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from kanon_sql.errors import PolicyError, hint_of
from kanon_sql.model.named_rows import NamedRow, describe, named_rows, rows_from
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.model.validation import as_identifier, as_tuple, by_name, fraction, named

MOST_CONTRIBUTORS = 100
"""Largest contributors that a rule adds up, or attackers who share what they know, at most."""

_MOST_PERCENT = 1000

ALGORITHMS = ("auto", "greedy", "optimal")
"""What solves a table."""

COSTS = ("cells", "n", "parts")
"""What a row may cost, besides its share of a sum."""

_ROWS, _EARLIER = ("null", "absent"), ("fixed", "ignore")

_LARGEST_K = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Dominance:
    """The dominance rule: the largest contributors of a row have at most a share of its sum."""

    measure: str  # the name of the sum
    largest: int  # how many contributors are added up
    share: Fraction  # their greatest share, above 0 and below 1

    def __post_init__(self) -> None:
        """Check the numbers."""
        if not 1 <= self.largest <= MOST_CONTRIBUTORS:
            raise PolicyError(f"dominance must count 1 to {MOST_CONTRIBUTORS} contributors; hint: write dominance(s, 1) <= 0.8")
        if not 0 < self.share < 1:
            raise PolicyError("the dominance share must be above 0 and below 1; hint: write dominance(s, 1) <= 0.8")

    def describe(self) -> str:
        """Return the rule as the clause writes it."""
        return f"dominance({as_identifier(self.measure)}, {self.largest}) <= {_number(self.share)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ambiguity:
    """The p % rule: the second-largest contributor cannot estimate the largest contribution more closely than p %."""

    measure: str  # the name of the sum
    percent: Fraction  # p, above 0

    def __post_init__(self) -> None:
        """Check the number."""
        if not 0 < self.percent <= _MOST_PERCENT:
            raise PolicyError(f"p must be above 0 and at most {_MOST_PERCENT} percent; hint: write p(s) >= 10")

    def describe(self) -> str:
        """Return the rule as the clause writes it."""
        return f"p({as_identifier(self.measure)}) >= {_number(self.percent)}"


def _number(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else format(float(value), ".12g")


@dataclass(frozen=True, slots=True, kw_only=True)
class Protection:
    """What no reader of a table may learn, and what may be suppressed for it."""

    k: int = 5  # a row of fewer people, but of one at least, is primary
    # dominance, ambiguity: rules about sums
    dominance: tuple[Dominance, ...] = ()
    ambiguity: tuple[Ambiguity, ...] = ()
    show: tuple[tuple[str, ...], ...] = ()  # grouping sets whose rows have to be shown
    show_rows: tuple[NamedRow, ...] = ()  # by values of their keys, rows that have to be shown
    # rows that have to be suppressed: for each, a reader has to think ``k`` people more possible
    hide: tuple[NamedRow, ...] = ()
    impossible: tuple[NamedRow, ...] = ()  # combinations that nobody can have, as every reader knows
    # What suppressing a row costs that is not primary: 1 ('cells'), its count ('n'), 1 and the number of rows that it adds up
    # ('parts'), or 1 and its share of the sum of that name, in millionths. By 'cells' and 'parts', a grand total costs at least
    # as much as all rows.
    cost: str = "cells"
    rows: str = "null"  # 'null' or 'absent': whether a suppressed row stays, with NULL in every measure
    # how many people of the table may share what they have, to learn what another one has; 0 if none does
    contributors: int = 0
    per: str | None = None  # the column that tells people apart; with None, rows are counted
    # Whether each row is a person. Otherwise a source in which a column repeats people is refused without ``per``.
    per_row: bool = False
    algorithm: str = "auto"  # one of `ALGORITHMS`
    time_limit: float | None = None  # seconds
    earlier: str = "fixed"  # 'fixed' or 'ignore': whether tables of the same source that were released before count
    suppressed: bool = False  # whether a column ``suppressed`` tells suppressed rows

    def __post_init__(self) -> None:
        """Check each option."""
        if not isinstance(self.k, int) or isinstance(self.k, bool) or not 2 <= self.k <= _LARGEST_K:
            raise PolicyError("the minimum count must be a whole number of at least 2; hint: write PROTECT n >= 5").command(
                "pass --k 5"
            )
        for name, value, known in (
            ("rows", self.rows, _ROWS),
            ("earlier", self.earlier, _EARLIER),
            ("algorithm", self.algorithm, ALGORITHMS),
        ):
            if value not in known:
                raise PolicyError(f"unknown {name} {value!r}; hint: {hint_of(value, known, 'use ' + ' or '.join(known))}")
        named(self.cost, "cost")
        if not isinstance(self.contributors, int) or not 0 <= self.contributors <= MOST_CONTRIBUTORS:
            raise PolicyError(
                f"contributors must be true, false or a whole number up to {MOST_CONTRIBUTORS}; hint: set contributors = 2"
            )
        object.__setattr__(self, "contributors", int(self.contributors))
        for name in ("suppressed", "per_row"):
            flag = getattr(self, name)
            if not isinstance(flag, bool):
                raise PolicyError(f"{name} must be true or false, got {type(flag).__name__}; hint: set {name} = true")
        for names in self.show:
            for key in names:
                named(key, "a key of show")
        if self.per is not None:
            named(self.per, "per")
            if self.per_row:
                raise PolicyError("per counts people, but per_row counts rows; hint: set only one of them")
        if self.time_limit is not None and not (
            isinstance(self.time_limit, int | float) and not isinstance(self.time_limit, bool) and self.time_limit > 0
        ):
            raise PolicyError("time_limit must be a number of seconds above 0; hint: set time_limit = 60")

    @classmethod
    def of(
        cls,
        *,
        p: Mapping[str, Any] | None = None,
        dominance: Mapping[str, Any] | None = None,
        show: Sequence[Any] = (),
        hide: Sequence[Any] = (),
        impossible: Sequence[Any] = (),
        **options: Any,
    ) -> Protection:
        """Build it from the names that every surface shares.

        Parameters
        ----------
        p : mapping of str to number, optional
            For some sums p of the p % rule.
        dominance : mapping of str to [largest, share], optional
            For some sums the dominance rule, or a list of them.
        show : sequence of sequence of str or of mapping
            Grouping sets whose rows have to be shown, and rows by values of their keys.
        hide, impossible : sequence of mapping
            Rows that have to be suppressed, and combinations that nobody can have, by values of their keys.
        **options
            The other fields.

        Raises
        ------
        PolicyError
            When an argument is not of its kind.
        """
        percents = by_name(p, "p", "{'total': 10}")
        largest = by_name(dominance, "dominance", "{'total': [1, 0.8]}")
        rows = [each for each in as_tuple(show, "show") if isinstance(each, Mapping)]
        sets = [each for each in show if not isinstance(each, Mapping)]
        return cls(
            ambiguity=tuple(Ambiguity(measure=name, percent=fraction(each, "p")) for name, each in percents.items()),
            dominance=tuple(_dominance(name, pair) for name, pairs in largest.items() for pair in _pairs(pairs)),
            show=tuple(as_tuple(each, "a grouping set of show") for each in sets),
            show_rows=named_rows(rows, "show"),
            hide=named_rows(hide, "hide"),
            impossible=named_rows(impossible, "impossible"),
            **options,
        )

    def check_cost(self, sums: Sequence[str]) -> None:
        """Check that a cost is known, or the name of a sum.

        Raises
        ------
        PolicyError
            When it is neither.
        """
        if self.cost not in (*COSTS, *sums):
            known = "use cells, n, parts or the name of a sum" if sums else "use cells, n or parts"
            hint = hint_of(self.cost, (*COSTS, *sums), known)
            raise PolicyError(f"unknown cost {self.cost!r}; hint: {hint}")

    def cost_sum(self, table: Tabulation) -> str | None:
        """Return the text of the sum of a table that says what a row costs; None if none does."""
        item = None if self.cost in COSTS else table.named(self.cost, "sum")
        return None if item is None else table.sums[item.places[0]]

    @property
    def rules(self) -> tuple[Dominance | Ambiguity, ...]:
        """Return the rules about sums."""
        return (*self.dominance, *self.ambiguity)

    @property
    def requirements(self) -> tuple[str, ...]:
        """Return the guarantees as the clause writes them."""
        people = f" PER {as_identifier(self.per)}" if self.per is not None else " PER ROW" * self.per_row
        return (f"n >= {self.k}{people}", *(each.describe() for each in self.rules))

    @property
    def named_rows(self) -> tuple[str, ...]:
        """Return which rows are named by values, as the clause writes them."""
        named = {"SHOW": self.show_rows, "HIDE": self.hide, "IMPOSSIBLE": self.impossible}
        return tuple(describe(word, rows) for word, rows in named.items() if rows)

    @property
    def rows_by_values(self) -> tuple[NamedRow, ...]:
        """Return all rows that are named by values."""
        return (*self.show_rows, *self.hide, *self.impossible)

    @property
    def largest(self) -> int:
        """Return how many of the largest contributions of a row count: for the rules, and as what attackers have."""
        ambiguous = 1 + max(1, self.contributors) if self.ambiguity else 0
        return max(self.contributors, ambiguous, *(each.largest for each in self.dominance))

    def pooled(self, measure: str) -> int:
        """Return how many people may share what they have of a sum: of an ambiguous one, one at least."""
        return max(self.contributors, any(rule.measure == measure for rule in self.ambiguity))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; fractions are texts."""
        return {
            **asdict(self),
            "dominance": [[each.measure, each.largest, str(each.share)] for each in self.dominance],
            "ambiguity": [[each.measure, str(each.percent)] for each in self.ambiguity],
        }

    def to_json(self) -> str:
        """Return the canonical text."""
        return json.dumps(self.to_dict(), sort_keys=True)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Protection:
        """Read plain data of `to_dict`."""
        return cls(
            **{
                **data,
                "dominance": tuple(
                    Dominance(measure=name, largest=largest, share=Fraction(share))
                    for name, largest, share in data["dominance"]
                ),
                "ambiguity": tuple(Ambiguity(measure=name, percent=Fraction(p)) for name, p in data["ambiguity"]),
                "show": tuple(tuple(each) for each in data["show"]),
                **{name: rows_from(data.get(name, ())) for name in ("show_rows", "hide", "impossible")},
            }
        )


def coalition_in_words(people: int) -> str:
    """Return which people of a table are attackers."""
    return "people in the table" if people == 1 else f"any {people:,} people in the table who share what they know"


def _pairs(value: Any) -> Sequence[Any]:
    """Return the pairs of one sum: a list of them, or one."""
    several = isinstance(value, Sequence) and value and all(isinstance(each, list | tuple) for each in value)
    return value if several else [value]


def _dominance(measure: str, pair: object) -> Dominance:
    if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
        raise PolicyError("dominance needs the number of contributors and their share; hint: write {'total': [1, 0.8]}")
    largest = fraction(pair[0], "the number of contributors")
    if largest.denominator != 1:
        raise PolicyError("the number of contributors must be a whole number; hint: write {'total': [1, 0.8]}")
    return Dominance(measure=measure, largest=int(largest), share=fraction(pair[1], "the share of the largest contributors"))
