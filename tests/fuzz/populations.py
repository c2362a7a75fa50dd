"""Releases that are counted in a table of a population: k-map and delta-presence, by their definitions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import Any

import duckdb

import kanon_sql
from fuzz import spelling
from fuzz.checker import check
from fuzz.domains import INTEGER, WEIGHTS, WORDS, ZIPS, Domain
from fuzz.draw import Column, Trial, ended, without_values
from fuzz.guarantee import Guarantee, Recoding
from fuzz.known_secret import SECRET
from fuzz.outcome import FoundError, Outcome, RefusedError, claim_of, reason, refused
from fuzz.population_rules import cheapest_rows, matches_of, present
from fuzz.sql_surfaces import store
from fuzz.table import Look, quoted, read_pair, texts_of
from fuzz.trials import Verdict, differences

NUMBERS = Domain("INTEGER", ())


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A trial, the rows of its population, and what is asked of both; ``k`` of the guarantee is that of rows."""

    trial: Trial
    population: tuple[tuple[str, ...], ...]
    k_map: int | None
    presence: Fraction | None
    surface: str

    def permuted(self) -> Asked:
        """The same rows and the same population in another order."""
        rows = list(self.population)
        Random(f"{self.trial.seed} population").shuffle(rows)
        return replace(self, trial=self.trial.permuted(), population=tuple(rows))


def drawn(seed: str) -> Asked:
    """Draw a table, a population and what is asked."""
    draw = Random(seed)
    domains = [draw.choice((INTEGER, WORDS, ZIPS)) for _ in range(draw.choice([1, 2, 2, 3]))]
    picked_columns = [draw.sample(domain.values, draw.randint(1, draw.choice([2, 3, 6]))) for domain in domains]
    names = draw.sample(["zip", "age", 'a"b', "Select", "two words", "n", "qi", "row", "matches", "population"], len(domains))
    size = draw.randint(3, 8) if draw.random() < 0.5 else draw.randint(5, 30)
    empty = draw.choice([0, 0, 0, 0.2])

    def row() -> tuple[str, ...]:
        return tuple("NULL" if draw.random() < empty else draw.choice(picked) for picked in picked_columns)

    rows = [row() for _ in range(size)]
    k_map = draw.choice([1, 2, 3, 5]) if draw.random() < 0.7 else None
    presence = draw.choice([Fraction(1, 2), Fraction(1, 3), Fraction(2, 7), Fraction(4, 5), Fraction(1)])
    limit = presence if k_map is None or draw.random() < 0.2 else None
    others = [row() for _ in range(draw.choice([0, size, 2 * size, 5 * size, 5 * size]))]
    held = rows if limit is not None or draw.random() < 0.5 else []
    recodings = {}
    for name, domain in zip(names, domains, strict=True):
        if draw.random() < 0.3 and domain is not WORDS and not any("NULL" in cells for cells in rows + others):
            recodings[name] = (
                Recoding(kind="intervals", steps=draw.choice([(Fraction(5),), (Fraction(5), Fraction(10))]))
                if domain is INTEGER
                else Recoding(kind="digits", steps=draw.choice([(), (3,), (5, 2)]))
            )
    cells = dict(zip(names, zip(*rows, strict=True), strict=False))
    recodings = {
        name: ended(without_values(each, [*cells.get(name, ())]), [*cells.get(name, ())]) for name, each in recodings.items()
    }
    guarantee = Guarantee(
        qi=tuple(names),
        k=draw.choice([1, 1, 1, 2, 3]),
        recodings=recodings,
        weights={name: draw.choice(WEIGHTS) for name in names} if draw.random() < 0.2 else {},
        suppress="*" if limit is not None or draw.random() < 0.2 else None,
        kept=("id",),
    )
    if guarantee.k > 1 and draw.random() < 0.3:  # k-map alone has an algorithm of its own
        guarantee = replace(guarantee, algorithm="greedy")
    columns = tuple(Column(name, domain) for name, domain in zip(names, domains, strict=True))
    trial = Trial(
        seed=seed,
        columns=(*columns, Column("id", NUMBERS)),
        rows=tuple((*cells, str(number)) for number, cells in enumerate(rows)),
        guarantee=guarantee,
        trees={},
    )
    surface = draw.choice(["clause", "clause", "function", "python"])
    return Asked(trial=trial, population=tuple(held + others), k_map=k_map, presence=limit, surface=surface)


class Populations:
    """Releases by the clause, the function and in Python, all on one connection."""

    def __init__(self) -> None:
        self.con: Any = None

    def close(self) -> None:
        """Close the connection."""
        if self.con is not None:
            self.con.close()
        self.con = None

    def judge(self, seed: str) -> Verdict:
        """Release a trial twice and say what is wrong."""
        asked = drawn(seed)
        verdict = Verdict()
        try:
            first, population = self._released(asked)
        except FoundError as finding:
            verdict.found.append(str(finding))
            return verdict
        except RefusedError as refusal:
            verdict.reason = f"{refusal.kind}: {reason(str(refusal))}"
            if refusal.kind != "InfeasibleError" or _feasible(asked):
                verdict.found.append(f"refused, which it is not to be: {refusal}")
            return verdict
        verdict.released = True
        guarantee = asked.trial.guarantee
        verdict.found += check(first.source, first.released, guarantee, first.claim, first.rules)
        counted = matches_of(first.source, first.released, guarantee, population)
        if asked.k_map is not None and min(map(sum, counted.values())) < asked.k_map:
            verdict.found.append(f"what a class shows matches fewer than {asked.k_map} rows of the population")
        if asked.presence is not None:
            verdict.found += present(first.released, guarantee, counted, asked.presence)
        if asked.presence is None and guarantee.k == 1 and guarantee.algorithm == "auto":
            verdict.judged = True
            best = cheapest_rows(first.source, guarantee, population, asked.k_map or 1)
            claim = first.claim
            if claim is None or (claim.cost, claim.lower_bound, claim.optimal) != (best, best, True):
                verdict.found.append(f"the optimum is {best}, and the certificate says {claim}")
        try:
            second, _ = self._released(asked.permuted())
        except (FoundError, RefusedError) as error:
            verdict.found.append(f"released, but not with permuted rows: {error}")
            return verdict
        verdict.found += differences(first, second, asked.trial)
        return verdict

    def _released(self, asked: Asked) -> tuple[Outcome, list[tuple[Look, ...]]]:
        """Return a release and the texts of its population.

        Raises
        ------
        RefusedError
            When it is refused.
        FoundError
            When it fails in another way.
        """
        trial = asked.trial
        guarantee = trial.guarantee
        names = [quoted(name) for name in guarantee.qi]
        if self.con is None:
            self.con = kanon_sql.connect(secret=SECRET)
            self.con.execute("SET enable_progress_bar = false")
        con = self.con
        store(con, trial, "t")
        kinds = ", ".join(f"{name} {each.domain.kind}" for name, each in zip(names, trial.columns, strict=False))
        con.execute(f"CREATE OR REPLACE TABLE census ({kinds})")
        if asked.population:
            con.execute(f"INSERT INTO census VALUES {', '.join('(' + ', '.join(row) + ')' for row in asked.population)}")
        population = texts_of(con, "census", guarantee.qi)
        try:
            claim = claim_of(_release(con, asked))
        except Exception as error:  # every kind of it is judged
            raise refused(error) from None
        source, released = read_pair(con, "t", "released")
        return Outcome(source=source, released=released, claim=claim), population


def _feasible(asked: Asked) -> bool:
    """Whether the release that shows nothing keeps all that is asked."""
    rows, matched = len(asked.trial.rows), len(asked.population)
    present = asked.presence is None or rows <= asked.presence * matched
    return rows >= asked.trial.guarantee.k and matched >= (asked.k_map or 0) and present


def _guarantee(asked: Asked) -> str:
    parts = [] if asked.trial.guarantee.k == 1 else [f"k >= {asked.trial.guarantee.k}"]
    parts += [] if asked.k_map is None else [f"k >= {asked.k_map} IN census"]
    parts += [] if asked.presence is None else [f"presence(census) <= {asked.presence}"]
    return " AND ".join(parts)


def _release(con: Any, asked: Asked) -> Any:
    """Make the table ``released``; return its certificate."""
    guarantee = asked.trial.guarantee
    limits: dict[str, Any] = {"k_map": asked.k_map, "presence": asked.presence}
    limits = {name: value for name, value in limits.items() if value is not None}
    if asked.surface == "python":
        tables = {"census": con.sql("FROM census").to_arrow_table()}
        given = spelling.arguments(guarantee) | limits | {"population": "census"}
        release = kanon_sql.anonymize(con.sql("FROM t").to_arrow_table(), tables=tables, secret=SECRET, **given)
        with duckdb.connect() as plain:  # names of Python are none of the database
            plain.register("made", release.table)
            rows = plain.sql("FROM made").to_arrow_table()
        con.register("made", rows)
        con.execute("CREATE OR REPLACE TABLE released AS FROM made")
        return release.certificate
    if asked.surface == "function":
        call = spelling.function_call(guarantee, "t") or ""
        more = f", k_map := {asked.k_map}" if asked.k_map is not None else ""
        more += f", presence := '{asked.presence}'" if asked.presence is not None else ""
        con.execute(f"CREATE OR REPLACE TABLE released AS FROM {call.removesuffix(')')}{more}, population := 'census')")
    else:
        by = f"ANONYMIZE BY {spelling.items(guarantee)} GUARANTEE {_guarantee(asked)}{spelling.using(guarantee)}"
        con.execute(f"CREATE OR REPLACE TABLE released AS FROM t {by}")
    return kanon_sql.releases(con)[-1]
