"""The audit of a ledger: which groups of 1 to n - 1 people all published tables prove together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from typing import Any

from kanon_sql.clause.condition_sets import parsed_condition
from kanon_sql.engines.ledger.findings import Finding, Link
from kanon_sql.errors import SourceError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.published_table import PublishedTable
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.ledger.decide import Proof, Proven, Search
from kanon_sql.solvers.ledger.facts import Fact, facts
from kanon_sql.solvers.ledger.groups import Group, candidates
from kanon_sql.solvers.ledger.systems import System
from kanon_sql.solvers.ledger.universe import Universe
from kanon_sql.solvers.ledger.views import View, views

_LARGEST = 1 << 40
"""Counts are below this: sums of them stay exact."""

_DECIDING = 0.8
"""The share of a limited time for deciding groups; the rest is for chains."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerAudit:
    """What someone who holds all tables of a ledger can prove.

    Attributes
    ----------
    n : int
        Groups of 1 to n - 1 people are looked for.
    tables, rows : int
        What was read.
    findings : tuple of Finding
        The groups that are proven, those with the shortest chains first.
    groups : int
        Groups that were looked at.
    undecided : tuple of str
        Groups that are neither proven nor shown to be safe.
    contradictions : tuple of tuple of Link
        Rows that cannot all be right. Nothing is proven with them, and groups of their people are undecided.

    Examples
    --------
    >>> from kanon_sql.model.published_table import PublishedRow, PublishedTable
    >>> from kanon_sql.solvers.budget import UNLIMITED
    >>> def table(number, condition, count):
    ...     row = PublishedRow(keys=("10-19",), lower=count, upper=count)
    ...     return PublishedTable(number=number, name=f"{number}.csv", keys=("age",), rows=(row,), condition=condition)
    >>> print(audit_tables([table(1, None, 61), table(2, "age >= 15", 60)], 5, UNLIMITED).findings[0].text)
    age 10-19: 61 (table 1), of these age 15 to 19: 60 (table 2). One person: age 10 to 14.
    """

    n: int
    tables: int
    rows: int
    findings: tuple[Finding, ...] = field(repr=False)
    groups: int
    undecided: tuple[str, ...] = field(repr=False)
    contradictions: tuple[tuple[Link, ...], ...] = field(repr=False)

    @property
    def holds(self) -> bool:
        """Return whether every group was decided, and none is proven to have 1 to n - 1 people."""
        return not (self.findings or self.undecided or self.contradictions)

    def figures(self) -> dict[str, str]:
        """Return what the audit found in rounded figures, for people."""
        return {
            "tables": f"{self.tables:,} ({how_many(self.rows, 'row')})",
            "groups": f"{self.groups:,}",
            f"1 to {self.n - 1} people": f"{len(self.findings):,} proven",
            "undecided": f"{len(self.undecided):,}",
            "contradictions": f"{len(self.contradictions):,}",
        }

    def __repr__(self) -> str:
        """Return one line for each figure."""
        return "\n".join(f"{name:<18}{text}" for name, text in self.figures().items())

    def _repr_html_(self) -> str:
        """Return the figures as a small table."""
        rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in self.figures().items())
        return f"<table><caption>ledger audit</caption><tbody>{rows}</tbody></table>"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON takes them."""
        return {
            "n": self.n,
            "tables": self.tables,
            "rows": self.rows,
            "holds": self.holds,
            "groups": self.groups,
            "findings": [each.to_dict() for each in self.findings],
            "undecided": list(self.undecided),
            "contradictions": [[link.to_dict() for link in each] for each in self.contradictions],
        }


def audit_tables(tables: Sequence[PublishedTable], n: int, budget: Budget) -> LedgerAudit:
    """Audit tables that were published about the same people.

    Parameters
    ----------
    tables : sequence of PublishedTable
        All of them, from any tool.
    n : int
        Groups of 1 to n - 1 people must not be provable.
    budget : Budget
        When it is over, groups that are open are undecided.

    Raises
    ------
    PolicyError
        When a condition cannot be read.
    SourceError
        When a count is 2^40 or more.

    Notes
    -----
    A group is a published row, or the intersection or the difference of two that differ in one key, or in conditions only.
    It is proven if every table of whole numbers that agrees with the rows of its view has 1 to n - 1 people there.
    It is safe only if a table without these numbers was found.
    Labels are compared as `Universe` says. A table whose rows add up to its totals lists all values.
    Groups that differ only where nobody can be are one. States are not compared: who came or left is undecided.

    Examples
    --------
    See `LedgerAudit`.
    """
    for table in tables:
        if any(max(row.lower, row.upper or 0) >= _LARGEST for row in table.rows):
            raise SourceError(f"a count in the table {table.name} has too many digits; hint: check the column with the counts")
    universe = Universe.of(tables, [parsed_condition(table.condition, table.name) for table in tables])
    known = facts(universe, tables)
    audit = _Audit(universe, tables, n, budget.part(_DECIDING))
    seen = list(views(universe, known))
    for place, view in enumerate(seen):
        budget.report("auditing the ledger", place / len(seen))
        audit.look_at(view)
    return audit.result(budget)


class _Audit:
    """The groups of all views so far."""

    def __init__(self, universe: Universe, tables: Sequence[PublishedTable], n: int, budget: Budget) -> None:
        self._universe, self._tables, self._n, self._budget = universe, tables, n, budget
        self._conditions = {column for region in universe.conditions for column, _ in region}
        self._groups: set[Group] = set()
        self._undecided: set[Group] = set()
        self._proven: dict[Group, tuple[View, Search, Proven]] = {}
        self._contradictions: dict[tuple[Fact, ...], tuple[Link, ...]] = {}

    def look_at(self, view: View) -> None:
        """Decide the groups of a view."""
        named = candidates(self._universe, view.facts, self._n, self._conditions)
        self._groups |= {each.group for each in named}
        if not view.whole:
            self._undecided |= {each.group for each in named}
        if not view.inside.size:
            return
        system = System.of(view, self._n, self._budget)
        for part in system.contradictory:
            chain = tuple(view.facts[fact] for fact in part)
            links = [link for fact in chain for link in self._links(fact, 1)]
            self._contradictions[chain] = tuple(sorted(links, key=lambda link: link.table))
        search = Search(system, named, self._proven, self._budget)
        self._undecided |= {*search.undecided}
        self._proven |= {each.named.group: (view, search, each) for each in search.proven}

    def result(self, budget: Budget) -> LedgerAudit:
        """Return what was found."""
        findings = []
        for place, (view, search, proven) in enumerate(self._proven.values()):
            budget.report("looking for the shortest chains", place / len(self._proven))
            findings.append(self._finding(search.proof(proven, budget), view))
        findings.sort(key=lambda each: (len(each.chain), each.group))
        return LedgerAudit(
            n=self._n,
            tables=len(self._tables),
            rows=sum(len(table.rows) for table in self._tables),
            findings=tuple(findings),
            groups=len(self._groups),
            undecided=(*sorted(map(self._words, self._undecided - self._proven.keys())), *self._between_states()),
            contradictions=tuple(self._contradictions.values()),
        )

    def _between_states(self) -> Iterator[str]:
        """Yield whom the audit does not look at: those who came or left between two states."""
        states = list(dict.fromkeys(table.state or "no state" for table in self._tables))
        for earlier, later in pairwise(states):
            yield f"people who joined or left between {earlier} and {later}"

    def _finding(self, proof: Proof, view: View) -> Finding:
        chain = tuple(link for fact, sign in proof.chain.items() for link in self._links(view.facts[fact], sign))
        named = (proof.named.first, proof.named.second)
        rows = [view.facts[fact].sources[0] for fact in named if fact >= 0]
        shown = len(chain) == 1 and chain[0].lower == chain[0].upper
        return Finding(
            kind="shown" if shown else "provable",
            group=self._words(proof.named.group),
            least=proof.least,
            most=proof.most,
            operation="row" if len(rows) == 1 else "without" if proof.named.minus else "both",
            rows=tuple((self._tables[each.table].number, self._tables[each.table].rows[each.row].keys) for each in rows),
            tight=proof.tight,
            chain=chain,
        )

    def _links(self, fact: Fact, sign: int) -> list[Link]:
        links = []
        for source in fact.sources:
            table = self._tables[source.table]
            row = table.rows[source.row]
            links.append(
                Link(
                    table=table.number,
                    name=table.name,
                    keys=row.keys,
                    about=self._universe.words(fact.region),
                    lower=row.lower,
                    upper=row.upper,
                    sign=0 if fact.closes else sign,
                    closes=fact.closes,
                )
            )
        return links

    def _words(self, group: Group) -> str:
        words = self._universe.words(group.region)
        if group.without is None:
            return words
        box = dict(group.region)
        inner = tuple(each for each in group.without if box.get(each[0]) != each[1])
        return f"{words}, but not ({self._universe.words(inner)})"
