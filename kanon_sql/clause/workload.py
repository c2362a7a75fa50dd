"""What queries use of a table: which columns they group by, compare, join and aggregate, and how coarsely."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from kanon_sql.errors import PolicyError, nearest, raise_alone
from kanon_sql.model.recodings import PERIODS
from kanon_sql.model.validation import same_name

POINTS = {"group": 3, "join": 3, "condition": 2, "aggregate": 1, "shown": 1}
"""How much a use of a column counts, once in each query; that it is shown counts if nothing else does."""

MOST_WEIGHT = 5
"""The weight of the column that is used most."""


@dataclass(slots=True, kw_only=True)
class Use:
    """What queries use of a column."""

    points: int = 0  # how much it is used, by `POINTS`
    queries: int = 0  # how many queries use it
    # numbers that it is compared with, as cuts: a comparison needs nothing finer
    cuts: set[Fraction] = field(default_factory=set)
    widths: set[Fraction] = field(default_factory=set)  # widths of the intervals that it is divided into
    periods: set[str] = field(default_factory=set)  # periods that its dates are reduced to
    digits: set[int] = field(default_factory=set)  # numbers of leading characters that are taken of it
    exact: bool = False  # whether a query groups by its value, or compares it, in another way

    @property
    def recoding(self) -> str | None:
        """Return levels that answer the queries, as the clause writes them; None where they say nothing of levels."""
        if self.digits and self.exact:
            return "DIGITS"
        if self.digits:
            return f"DIGITS ({', '.join(map(str, sorted(self.digits, reverse=True)))})"
        if self.periods:
            return f"INTERVALS ({', '.join(sorted(self.periods, key=PERIODS.index))})"
        if self.widths:
            return f"INTERVALS ({', '.join(map(_spelled, sorted(self.widths)))})"
        return f"CUTS ({', '.join(map(_spelled, sorted(self.cuts)))})" if self.cuts else None


def uses_of(text: str, columns: Iterable[str]) -> dict[str, Use]:
    """Return what a file of queries uses of each column of a table; all of them have an entry.

    Raises
    ------
    PolicyError
        When there is no query, one writes, or one names a column that nothing has.

    Examples
    --------
    >>> found = uses_of("SELECT sex, count(*) FROM t WHERE age >= 65 GROUP BY sex", ["sex", "age", "zip"])
    >>> [(name, use.points, use.recoding) for name, use in found.items()]
    [('sex', 3, None), ('age', 2, 'CUTS (65)'), ('zip', 0, None)]
    """
    found = {name: Use() for name in columns}
    known = {same_name(name): name for name in found}
    try:
        parsed = [each for each in sqlglot.parse(text, dialect="duckdb") if each and not isinstance(each, exp.Semicolon)]
    except SqlglotError:
        raise_alone(PolicyError("the query file is not valid SQL; hint: write SELECT statements separated by ;"))
    if not parsed:
        raise PolicyError("the query file is empty; hint: write SELECT statements separated by ;")
    for number, query in enumerate(parsed, 1):
        if not isinstance(query, exp.Query):
            raise PolicyError(f"query {number} is not a SELECT, or writes data; hint: write SELECT statements")
        seen: set[tuple[str, str]] = set()
        for column, name in _named(query):
            if same_name(name) in known:
                own = known[same_name(name)]
                ways = _ways(column)
                seen |= {(own, each) for each in ways}
                coarser = _coarser(found[own], column)
                found[own].exact |= not coarser and bool(ways & {"group", "join", "condition"})
            elif not _from_elsewhere(query, name):
                near = nearest(name, found)
                hint = f"did you mean {near}?" if near else f"the columns are {', '.join(found)}"
                raise PolicyError(f"query {number} uses {name}, which the table does not have; hint: {hint}")
        for own in {own for own, _ in seen}:
            ways = {way for each, way in seen if each == own}
            found[own].points += sum(POINTS[way] for way in ways - {"shown"} or {"shown"})
            found[own].queries += 1
    return found


def weights_of(uses: dict[str, Use]) -> dict[str, int]:
    """Return the weight of each column: 1 where no query uses it, up to `MOST_WEIGHT` where they use it most.

    Examples
    --------
    >>> weights_of({"a": Use(points=8), "b": Use(points=1), "c": Use()})
    {'a': 5, 'b': 2, 'c': 1}
    """
    most = max((each.points for each in uses.values()), default=0) or 1
    return {name: 1 + ceil((MOST_WEIGHT - 1) * each.points / most) for name, each in uses.items()}


def _named(query: exp.Query) -> Iterator[tuple[exp.Expr, str]]:
    """Yield each column that a query names, also in USING."""
    for column in query.find_all(exp.Column):
        if not isinstance(column.this, exp.Star):
            yield column, column.name
    for join in query.find_all(exp.Join):
        for each in join.args.get("using") or ():
            if isinstance(each, exp.Identifier):
                yield each, each.name


def _from_elsewhere(query: exp.Query, name: str) -> bool:
    """Return whether a name may be an alias, or a column of another table."""
    aliases = {each.alias.lower() for each in query.find_all(exp.Alias)}
    return name.lower() in aliases or len(list(query.find_all(exp.Table))) > 1 or query.find(exp.CTE) is not None


def _ways(column: exp.Expr) -> set[str]:
    """Return how a column is used where it stands."""
    inside: exp.Expr = column
    while (parent := inside.parent) is not None:
        match parent:
            case exp.AggFunc():
                return {"aggregate"}
            case exp.Where() | exp.Having() | exp.Qualify() | exp.Filter():
                return {"condition"}
            case exp.Join():
                return {"join"}
            case exp.Group():
                return {"group"}
            case exp.Select():
                listed = inside.arg_key == "expressions"
                return {"group" if listed and _is_key(parent, inside) else "shown"} if listed else set()
        inside = parent
    return set()


def _is_key(select: exp.Select, shown: exp.Expr) -> bool:
    """Return whether a query groups by what it shows: by its place, its alias, or by all."""
    group = select.args.get("group")
    if group is None:
        return False
    place = str(select.expressions.index(shown) + 1)
    keys = {each.name.lower() for each in group.expressions if isinstance(each, exp.Column)}
    keys |= {each.name for each in group.expressions if isinstance(each, exp.Literal)}
    return bool(group.args.get("all")) or place in keys or (shown.alias != "" and shown.alias.lower() in keys)


def _coarser(use: Use, column: exp.Expr) -> bool:
    """Note how coarsely a column is used where it stands; return whether it is."""
    parent = column.parent
    match parent:
        case exp.GT() | exp.GTE() | exp.LT() | exp.LTE():
            flipped = parent.this is not column
            number = _number(parent.this if flipped else parent.expression)
            over = isinstance(parent, exp.LT | exp.GTE) if flipped else isinstance(parent, exp.GT | exp.LTE)
            use.cuts |= set() if number is None else {_after(number) if over else number}
            return number is not None
        case exp.Between():
            low, high = _number(parent.args["low"]), _number(parent.args["high"])
            if parent.this is not column or low is None or high is None:
                return False
            use.cuts |= {low, _after(high)}
            return True
        case exp.IntDiv() | exp.Div() | exp.Mod():
            number = _number(parent.expression)
            whole = not isinstance(parent, exp.Div) or isinstance(parent.parent, exp.Floor)
            if parent.this is not column or not whole or number is None or number <= 0:
                return False
            use.widths.add(number)
            return True
        case exp.Year() | exp.Month() | exp.Quarter():
            use.periods.add(parent.key)
            return True
        case exp.Extract() | exp.DateTrunc() | exp.TimestampTrunc():
            unit = parent.this if isinstance(parent, exp.Extract) else parent.args.get("unit")
            found = {"" if unit is None else unit.name.lower()} & {*PERIODS}
            use.periods |= found
            return bool(found)
        case exp.Left():
            return _digits(use, parent.expression)
        case exp.Substring() if (start := parent.args.get("start")) is not None and start.name == "1":
            return _digits(use, parent.args.get("length"))
        case exp.Cast():
            return _coarser(use, parent)
    return False


def _digits(use: Use, count: exp.Expr | None) -> bool:
    number = _number(count)
    if number is None or number.denominator != 1 or number <= 0:
        return False
    use.digits.add(int(number))
    return True


def _number(value: exp.Expr | None) -> Fraction | None:
    """Return the number that an expression is; None where it is none."""
    if isinstance(value, exp.Neg):
        number = _number(value.this)
        return None if number is None else -number
    if not isinstance(value, exp.Literal) or value.is_string:
        return None
    try:
        return Fraction(value.name)
    except ValueError:
        return None


def _after(number: Fraction) -> Fraction:
    """Return the first whole number above a whole one: ``> 64`` cuts whole numbers at 65."""
    return number + 1 if number.denominator == 1 else number


def _spelled(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else f"{float(number):.6f}".rstrip("0").rstrip(".")
