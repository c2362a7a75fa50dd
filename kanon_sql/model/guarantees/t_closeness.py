"""t-closeness: a sensitive attribute is distributed in each class nearly as in the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from kanon_sql.errors import PolicyError, nearest
from kanon_sql.model.guarantees.written import Argument, Option, Written
from kanon_sql.model.validation import as_arguments, encodable, fraction, named, plain_number

METRICS = ("equal", "ordered", "numeric", "hierarchical")
"""The ground distances of t-closeness that need no table of distances."""

_LIKE_A_METRIC = 0.75
"""How like the name of a metric that of a table of distances may not be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TCloseness:
    """The values of a sensitive attribute are distributed in every equivalence class nearly as in the whole table.

    Parameters
    ----------
    sensitive : str
        The sensitive attribute, a column; NULL is a value of its own, the last one.
    t : int, Fraction, Decimal, float or str
        The largest earth mover's distance between the two distributions, from 0 to 1; kept as an exact `Fraction`.
    metric : str
        The distance of two values. ``'equal'``: 1. ``'ordered'``: the difference of their ranks, over the largest.
        ``'numeric'``: their difference, over the largest. ``'hierarchical'``: the height of their lowest common ancestor,
        over the height of the tree. Anything else is the name of a table ``(a, b, distance)``.
    hierarchy : str, optional
        Name of the table of the tree; for ``'hierarchical'`` only, and needed there.

    Raises
    ------
    PolicyError
        When t is out of its range, or the metric and the hierarchy do not belong together.

    References
    ----------
    Li, Li, Venkatasubramanian: t-closeness, ICDE 2007. Any metric: Liang, Yuan: On the Complexity of t-Closeness
    Anonymization and Related Problems, Section 2.1.

    Examples
    --------
    >>> TCloseness(sensitive="severity", t=0.3, metric="ordered").describe()
    "t(severity, 'ordered') <= 3/10"
    """

    kind: ClassVar[str] = "t"
    synonyms: ClassVar[tuple[str, ...]] = ("t_closeness", "tcloseness", "closeness")
    written: ClassVar[Written] = Written(
        word="t",
        sign="<=",
        example="t(disease, 'ordered') <= 0.3",
        threshold="t",
        arguments={
            "metric": Argument(what="a metric", hint=f"{', '.join(map(repr, METRICS))}, or the name of a table of distances"),
            "hierarchy": Argument(what="the table of a tree"),
        },
    )
    options: ClassVar[dict[str, Option]] = {
        "t": Option(help="Maximum distance of a class from the whole table, 0 to 1."),
        "metric": Option(
            help="Distance: equal, ordered, numeric, hierarchical, or a file (a, b, distance).  [default: equal]", form="NAME"
        ),
        "hierarchy": Option(help="Tree for --metric hierarchical.", form="FILE"),
    }

    sensitive: str
    t: Fraction
    metric: str = "equal"
    hierarchy: str | None = None

    def __post_init__(self) -> None:
        named(self.sensitive, "the sensitive column of t-closeness")
        object.__setattr__(self, "t", fraction(self.t, "t"))
        if not 0 <= self.t <= 1:
            raise PolicyError(f"t must be between 0 and 1, got {self.t}; hint: write t(disease) <= 0.3").command("pass --t 0.3")
        if not isinstance(self.metric, str) or not self.metric:
            shown = "an empty text" if self.metric == "" else type(self.metric).__name__
            raise PolicyError(
                f"the metric of t-closeness must be a name, got {shown}; hint: use {', '.join(map(repr, METRICS))}"
            )
        encodable(self.metric, "the metric of t-closeness")
        near = None if self.metric in METRICS else nearest(self.metric, METRICS, alike=_LIKE_A_METRIC)
        if near is not None:
            raise PolicyError(
                f"the metric {self.metric!r} looks like a misspelling of {near!r}; hint: write {near!r}, or qualify a table of "
                "distances with its schema, as in 'main.distances'"
            )
        if self.metric == "hierarchical":
            if not isinstance(self.hierarchy, str) or not self.hierarchy:
                raise PolicyError(
                    "the metric 'hierarchical' needs a table with a tree; hint: write t(disease, 'hierarchical', 'tree') <= 0.3"
                ).command("pass --hierarchy tree.csv")
            encodable(self.hierarchy, "the tree of the metric 'hierarchical'")
        elif self.hierarchy is not None:
            raise PolicyError(
                f"a hierarchy applies to the metric 'hierarchical', not to {self.metric!r}; hint: omit the hierarchy"
            )

    @property
    def least_class_size(self) -> int:
        """Return 1: where all rows have one value, each is t-close alone."""
        return 1

    @property
    def table(self) -> str | None:
        """Return the name of the hierarchy or of the table of distances, if there is one."""
        return self.hierarchy or (None if self.metric in METRICS else self.metric)

    def describe(self) -> str:
        """Return the requirement as the clause writes it."""
        return f"t({as_arguments(self.sensitive, self.metric, self.hierarchy, default=METRICS[0])}) <= {self.t}"

    def meaning(self) -> str:
        """Return what it means for the people in the table."""
        return f"In each class, {self.sensitive} has nearly the same distribution as in the whole table."

    def to_json(self) -> dict[str, Any]:
        """Return the requirement as plain JSON data."""
        kind = {"type": self.kind, "sensitive": self.sensitive, "t": plain_number(self.t)}
        return kind | {"metric": self.metric, "hierarchy": self.hierarchy}
