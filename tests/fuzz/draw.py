"""Random trials: a table, a guarantee about it, and the settings of the connection, all from one seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

from fuzz.domains import CANARY, INTEGER, NAMES, NASTY, PLAIN, SETTINGS, WEIGHTS, WORDS, ZIPS, Domain
from fuzz.guarantee import Guarantee, Recoding, Requirement
from fuzz.requirement_rules import kept

PLAIN_SOLVERS = (
    "greedy", "refine", "optimal", "matching", "subset_dp", "row_assignment", "cover", "balls", "merge_small", "mondrian",
    "log_cover", "forest", "full_domain", "attribute",
)  # fmt: skip
SENSITIVE_SOLVERS = ("greedy", "refine", "optimal", "subset_dp", "matching")


@dataclass(frozen=True)
class Column:
    """A column of a trial."""

    name: str
    domain: Domain


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A table as SQL expressions, NULL among them, and what is guaranteed about it."""

    seed: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    guarantee: Guarantee
    settings: tuple[str, ...] = ()
    trees: dict[str, list[tuple[str, ...]]]

    @property
    def folds(self) -> dict[str, str]:
        """The collations of its columns."""
        default = next((each.split("'")[1] for each in self.settings if each.startswith("default_collation")), "")
        return {each.name: each.domain.fold or default for each in self.columns}

    @property
    def keys(self) -> dict[str, Callable[[str], object]]:
        """The order of the values of its columns."""
        return {each.name: each.domain.key for each in self.columns if each.domain.key is not None}

    def permuted(self) -> Trial:
        """The same rows in another order."""
        rows = list(self.rows)
        Random(f"{self.seed} permuted").shuffle(rows)
        return replace(self, rows=tuple(rows))


def trial(seed: str, *, plain: bool = False, recodings: bool = True, arrow: bool = False, texts: bool = False) -> Trial:
    """Draw a trial.

    Parameters
    ----------
    seed : str
        Tells everything about it.
    plain : bool
        Whether its columns are of ordinary types only.
    recodings : bool
        Whether columns may be coarsened.
    arrow : bool
        Whether its types must be those that Arrow hands on exactly.
    texts : bool
        Whether all columns are texts.
    """
    draw = Random(seed)
    k = draw.choice([1, 2, 2, 2, 3, 3, 4, 5])
    rows = (
        draw.choice([0, 1, k - 1, k])
        if draw.random() < 0.06
        else draw.randint(2, 7)
        if draw.random() < 0.5
        else draw.randint(5, 40)
    )
    names = (
        draw.sample(NAMES, 9)
        if draw.random() < 0.5
        else ["zip", "age", "sex", "job", "disease", "salary", "grade", "id", "person"]
    )
    domains = [each for each in PLAIN + NASTY if each.arrow or not arrow]

    def column(name: str) -> Column:
        if texts:
            return Column(name, draw.choice((WORDS, ZIPS)))
        return Column(name, draw.choice(PLAIN if plain or draw.random() < 0.6 else domains))

    identifying = [column(names[place]) for place in range(draw.choice([1, 2, 2, 3, 3, 4]))]
    sensitive = [column(names[4 + place]) for place in range(draw.choice([0, 0, 0, 1, 1, 2]))]
    others = [column(names[6])] if draw.random() < 0.4 else []
    cells = [_cells(draw, each.domain, rows) for each in (*identifying, *sensitive, *others)]
    whole = Domain("VARCHAR" if texts else "INTEGER", ())
    if draw.random() < 0.7:  # a number for each row tells exactly which row became which
        others.append(Column(names[7], whole))
        cells.append([f"'{number}'" for number in draw.sample(range(100, 1000), rows)])
    per = Column(names[8], whole) if draw.random() < 0.08 else None
    if per is not None:
        others.append(per)
        cells.append(["NULL" if draw.random() < 0.1 else f"'{draw.randint(1, max(2, rows * 2 // 3))}'" for _ in range(rows)])
    columns = [*identifying, *sensitive, *others]
    order = draw.sample(range(len(columns)), len(columns))
    guarantee = _guarantee(draw, columns, cells, len(identifying), len(sensitive), k, per, recodings=recodings)
    guarantee = _kept(_with_shares(guarantee, seed), [each.name for each in columns], seed)
    settings = tuple(draw.sample(SETTINGS, draw.choice([1, 1, 2]))) if draw.random() < 0.3 else ()
    trees = {
        each.table: [(value, *above, "any") for value, above in each.tree.items()]
        for each in guarantee.recodings.values()
        if each.table
    }
    return Trial(
        seed=seed,
        columns=tuple(columns[place] for place in order),
        rows=tuple(tuple(row[place] for place in order) for row in zip(*cells, strict=True)),
        guarantee=_in_order(guarantee, [columns[place].name for place in order]),
        settings=settings,
        trees=trees,
    )


def _with_shares(guarantee: Guarantee, seed: str) -> Guarantee:
    """Limit the shares of sensitive values now and then, drawn apart so that the other draws of a seed stay what they were."""
    draw = Random(f"{seed} shares")
    limits = (Fraction(1, 2), Fraction(1), Fraction(3))
    more = [
        Requirement(kind=kind, column=column, number=draw.choice(limits))
        for column in guarantee.sensitive
        for kind in ("beta", "delta")
        if draw.random() < 0.12
    ]
    return replace(guarantee, requirements=(*guarantee.requirements, *more))


def _kept(guarantee: Guarantee, names: list[str], seed: str) -> Guarantee:
    """Name the columns without a role, or move their limit, now and then; drawn apart as well."""
    roles = {*guarantee.qi, *guarantee.sensitive, guarantee.per}
    left = tuple(name for name in names if name not in roles)
    draw = Random(f"{seed} kept")
    if left and draw.random() < 0.85:  # most tables number their rows
        return replace(guarantee, kept=left)
    limits = (Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(1))
    return replace(guarantee, unlisted_limit=draw.choice(limits)) if draw.random() < 0.5 else guarantee


def _in_order(guarantee: Guarantee, names: list[str]) -> Guarantee:
    """Where no quasi-identifier is named they are in the order of the table."""
    return replace(guarantee, qi=tuple(name for name in names if name in guarantee.qi)) if guarantee.every_column else guarantee


def _cells(draw: Random, domain: Domain, rows: int) -> list[str]:
    picked = draw.sample(domain.values, draw.randint(1, min(len(domain.values), draw.choice([1, 2, 3, 3, 5, 20]))))
    empty = draw.choice([0, 0, 0.1, 0.4])
    return ["NULL" if draw.random() < empty else draw.choice(picked) for _ in range(rows)]


def _guarantee(
    draw: Random,
    columns: list[Column],
    cells: list[list[str]],
    named: int,
    asked: int,
    k: int,
    per: Column | None,
    *,
    recodings: bool,
) -> Guarantee:
    requirements = tuple(
        each
        for place in range(named, named + asked)
        for each in _requirements(draw, columns[place], cells[place])
        if draw.random() < 0.1 or _can_hold(each, cells[place])
    )
    every = draw.random() < 0.15
    sensitive = {each.column for each in requirements}
    identifying = [each for each in columns if each.name not in sensitive and each is not per] if every else columns[:named]
    qi = tuple(each.name for each in identifying)
    guarantee = Guarantee(
        qi=qi,
        k=k,
        every_column=every,
        requirements=requirements,
        per=None if per is None else per.name,
        weights={name: draw.choice(WEIGHTS) for name in qi} if draw.random() < 0.25 else {},
        suppress=draw.choice(["*", "hidden", "flu", "a", ""]) if draw.random() < 0.2 else None,
        seed=draw.choice([0, 0, 7]),
        time_limit=0.3 if draw.random() < 0.04 else None,
    )
    if recodings and draw.random() < 0.35:
        found = {}
        for column in identifying:
            values = cells[columns.index(column)]
            if draw.random() < 0.6 and (recoding := _drawn(draw, column, values)) is not None:
                found[column.name] = recoding
        points = [each.name for each in identifying if each.domain is INTEGER and "NULL" not in cells[columns.index(each)]]
        if len(points) > 1 and cells[0] and draw.random() < 0.3:
            found |= {name: Recoding(kind="rectangles", beside=other) for name, other in (points[:2], points[1::-1])}
        guarantee = replace(guarantee, recodings=found)
        if {"ranges", "sets", "means", "medians"} & {each.kind for each in found.values()}:
            return replace(guarantee, algorithm=draw.choice(["auto", "auto", "mondrian"]))
    guarantee = replace(guarantee, masks=_masks(draw, qi) if draw.random() < 0.25 else None)
    plain = [name for name in qi if name not in guarantee.recodings]
    if len(plain) > 1 and draw.random() < 0.2:
        group = tuple(draw.sample(plain, draw.randint(2, min(3, len(plain)))))
        guarantee = replace(guarantee, linked=(group,))
        if guarantee.permitted() == []:
            guarantee = replace(guarantee, masks=None)
    return _solved(draw, guarantee, len(cells[0]))


def _solved(draw: Random, guarantee: Guarantee, rows: int) -> Guarantee:
    """Choose an algorithm that has a chance."""
    if draw.random() < 0.5 or guarantee.per is not None:
        return guarantee
    able = SENSITIVE_SOLVERS if guarantee.requirements else PLAIN_SOLVERS
    algorithm = draw.choice(able)
    if algorithm == "subset_dp" and rows > 12:
        algorithm = "greedy"
    if algorithm == "matching" and (guarantee.requirements or guarantee.k != 2):
        algorithm = "refine"
    limit = 1.0 if algorithm == "optimal" and rows > 12 else guarantee.time_limit
    share = draw.choice([None, Fraction(1, 20), Fraction(1, 3)]) if algorithm == "full_domain" else None
    return replace(guarantee, algorithm=algorithm, time_limit=limit, max_suppressed=share)


def _masks(draw: Random, qi: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    masks = {tuple(name for name in qi if draw.random() < 0.6) for _ in range(draw.randint(1, 4))}
    if draw.random() < 0.85:
        masks.add(())
    return tuple(sorted(masks))


def _requirements(draw: Random, column: Column, cells: list[str]) -> list[Requirement]:
    found: list[Requirement] = []
    name = column.name
    if draw.random() < 0.6:
        form = draw.choice(["frequency", "frequency", "distinct", "entropy", "recursive"])
        number = draw.choice([Fraction(1), Fraction(3, 2), Fraction(2), Fraction(2), Fraction(6, 5)])
        if form == "recursive":
            number = Fraction(draw.choice([1, 2, 2]))
        c = draw.choice([Fraction(1), Fraction(2), Fraction(3, 2), Fraction(4)]) if form == "recursive" else None
        found.append(Requirement(kind="l", column=name, number=number, form=form, c=c))
    if draw.random() < 0.4 or not found:
        metrics = ["equal", "equal"] + (["ordered"] if column.domain.key is not None else [])
        if column.domain.kind in ("INTEGER", "DECIMAL(6,2)") and "NULL" not in cells:
            metrics.append("numeric")
        number = draw.choice([Fraction(1, 10), Fraction(3, 10), Fraction(1, 2), Fraction(1, 3), Fraction(9, 10), Fraction(1)])
        found.append(Requirement(kind="t", column=name, number=number, form=draw.choice(metrics)))
    known = [cell for cell in cells if cell != "NULL" and CANARY not in cell]  # errors repeat the value that alpha names
    if known and column.domain in (WORDS, ZIPS, INTEGER) and draw.random() < 0.2:
        value = draw.choice(known)[1:-1].replace("''", "'")
        found.append(
            Requirement(
                kind="alpha", column=name, number=draw.choice([Fraction(1, 2), Fraction(2, 3), Fraction(4, 5)]), value=value
            )
        )
    return found


def _can_hold(requirement: Requirement, cells: list[str]) -> bool:
    """Whether the whole table keeps the requirement: else every release is refused."""
    if requirement.kind == "alpha":
        requirement = replace(requirement, value="'" + requirement.value.replace("'", "''") + "'")
    return requirement.kind == "t" or (bool(cells) and kept(requirement, cells, cells))


def _drawn(draw: Random, column: Column, cells: list[str]) -> Recoding | None:
    return ended(without_values(_averaged(column, cells, _recoding(draw, column, cells)), cells), cells)


def ended(drawn: Recoding | None, cells: list[str]) -> Recoding | None:
    """Put ends to the intervals of numbers now and then, or cuts in their place; what else is drawn stays as it was."""
    own = Random(f"ends of {len(cells)} {cells}")
    if drawn is not None and drawn.kind == "periods" and own.random() < 0.5:
        years = own.choice([(None, 2020), (2019, None), (1999, 2024), (None, None)])
        bottom, top = (None if year is None else Fraction(year) for year in years)
        return replace(drawn, only=own.random() < 0.5, bottom=bottom, top=top, loss=())
    if drawn is None or drawn.kind != "intervals" or own.random() < 0.4:
        return drawn
    kind = own.choice(["intervals", "cuts", "coded"])
    steps = drawn.steps
    bottom, top = own.choice([(None, 30), (-3, None), (0, 20), (2, 34), (1, 2), (Fraction(3, 2), Fraction(47, 2))])
    if kind == "cuts":
        steps = tuple(map(Fraction, own.choice([(10,), (5, 18), (3, 4, 20)])))
        bottom, top = own.choice([(None, None), (None, 30), (-3, 20), (2, None)])
    ends = [None if end is None else Fraction(end) for end in (bottom, top)]
    only = kind != "coded" and own.random() < 0.3
    levels = (len(steps) if kind == "intervals" else kind == "cuts") + (ends != [None, None] and not only)
    losses = (Fraction(1, 10), Fraction(4, 10), Fraction(7, 10), Fraction(8, 10))
    loss = losses[:levels] if drawn.loss else ()
    return Recoding(kind=kind, steps=() if kind == "coded" else steps, bottom=ends[0], top=ends[1], only=only, loss=loss)


def without_values(drawn: Recoding | None, cells: list[str]) -> Recoding | None:
    """Permit only some levels now and then, and give them losses; what else is drawn stays as it was."""
    own = Random(f"levels of {len(cells)} {cells}")
    if drawn is None or drawn.kind not in ("digits", "hierarchy") or own.random() < 0.3:
        return drawn
    texts = [cell[1:-1].replace("''", "'") for cell in cells if cell.startswith("'")]
    if drawn.kind == "hierarchy":
        steps, tree = own.choice([(1,), (1,), (2,), (1, 2), (0, 1), (0, 2)]), drawn.tree
        if own.random() < 0.5:  # a level that tells as much as the values
            tree = {value: (f"own {number}", above[1]) for number, (value, above) in enumerate(tree.items())}
        drawn = replace(drawn, steps=steps, tree=tree, loss=())
        levels = sum(step != 0 for step in drawn.steps)
    elif drawn.loss or any("||" in cell or "chr(" in cell for cell in cells):
        return drawn
    else:
        longest = max(map(len, texts), default=0)
        levels = sum(step < longest for step in drawn.steps) if drawn.steps else max(0, longest - 1)
    losses = (Fraction(1, 10), Fraction(3, 10), Fraction(6, 10), Fraction(9, 10))
    return replace(drawn, loss=losses[:levels]) if 0 < levels <= len(losses) and own.random() < 0.8 else drawn


def _averaged(column: Column, cells: list[str], drawn: Recoding | None) -> Recoding | None:
    """Put means or medians in the place of some recodings; what else is drawn stays as it was."""
    domain, own = column.domain, Random(f"{len(cells)} {cells}")
    kinds = ["means", "means", "medians"] if domain.numeric and domain.kind not in ("DOUBLE", "FLOAT") else []
    kinds += ["medians"] if domain.kind == "DATE" else []
    return Recoding(kind=own.choice(kinds)) if kinds and drawn is not None and own.random() < 0.4 else drawn


def _recoding(draw: Random, column: Column, cells: list[str]) -> Recoding | None:
    domain = column.domain
    losses = (Fraction(1, 10), Fraction(4, 10), Fraction(7, 10))
    kinds = ["ranges", "sets", "bins", "chosen"]
    if domain.kind == "VARCHAR" and not domain.fold:
        kinds += ["digits", "digits", "hierarchy", "hierarchy"]
    if domain.numeric and domain.kind not in ("DOUBLE", "FLOAT"):
        kinds += ["intervals", "intervals"]
    if domain.dated:
        kinds += ["periods", "periods"]
    kind = draw.choice(kinds)
    steps: tuple[Fraction | int | str, ...] = ()
    match kind:
        case "digits":
            steps = tuple(sorted(draw.sample(range(1, 7), draw.choice([0, 1, 2])), reverse=True))
        case "intervals":
            steps = draw.choice([(Fraction(5),), (Fraction(5), Fraction(10)), (Fraction(5, 2), Fraction(10), Fraction(25))])
        case "periods":
            steps = draw.choice([("month",), ("month", "year"), ("quarter", "decade"), ("day", "month", "year")])
        case "hierarchy":
            values = sorted({cell[1:-1].replace("''", "'") for cell in cells if cell.startswith("'")})
            if not values or any("||" in cell or "chr(" in cell for cell in cells):
                return None
            table = f"tree {column.name}"
            above = {value: (f"few {number % 3}", f"many {number % 3 % 2}") for number, value in enumerate(values)}
            return Recoding(kind=kind, tree=above, table=table, loss=losses[:2] if draw.random() < 0.3 else ())
    own = losses[: len(steps)] if kind in ("intervals", "periods") and draw.random() < 0.4 else ()
    return Recoding(kind=kind, steps=steps, loss=own)
