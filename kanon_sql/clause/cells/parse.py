"""The grammar of the PROTECT clause: from its tokens to the requirement of a table.

::

    PROTECT cond {AND cond} [SHOW shown {, shown}] [HIDE row {, row}] [IMPOSSIBLE row {, row}]
        [COST cells | n | parts | sum] [ROWS NULL | ABSENT] [AGAINST CONTRIBUTORS [people]]
        [USING name [( option = value {, option = value} )]]
    PROTECT WITH POLICY name
    cond := count >= k [PER column | PER ROW] | dominance(sum, largest) <= share | p(sum) >= percent
    count := name of the count | count(*)
    option := time_limit | earlier | suppressed

AGAINST CONTRIBUTORS means attackers who are people of the table, AGAINST CONTRIBUTORS 2 any two of them who share their values.
PER column counts people: count(*) then shows people, as count(DISTINCT column) does. PER ROW says that each row is a person.
PER "row" names a column. `shown_rows` reads what follows SHOW, HIDE and IMPOSSIBLE.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sqlglot import TokenType

from kanon_sql.clause.cells.shown_rows import read_rows, read_shown
from kanon_sql.clause.cells.table_query import TableQuery
from kanon_sql.clause.names import column_name, policy_name
from kanon_sql.clause.reader import Reader
from kanon_sql.clause.script import Script
from kanon_sql.clause.split import BEHIND_CLAUSE, SET_OPERATIONS
from kanon_sql.errors import ClauseError, hint_of
from kanon_sql.model.protection import ALGORITHMS, COSTS, Ambiguity, Dominance, Protection
from kanon_sql.model.tabulation import Item
from kanon_sql.model.validation import as_identifier, same_name

EXAMPLE = "PROTECT n >= 5"

_OPTIONS = ("time_limit", "earlier", "suppressed")

_PARTS = ("AND", "SHOW", "HIDE", "IMPOSSIBLE", "COST", "ROWS", "AGAINST", "USING")

_BEHIND = BEHIND_CLAUSE | {"ON", "RETURNING", "WITH", "WINDOW"}


def parse_protect(script: Script, place: int, query: TableQuery) -> tuple[Protection | str, int]:
    """Read the clause whose word PROTECT is at ``place``.

    Parameters
    ----------
    place : int
        The word PROTECT.
    query : TableQuery
        The query in front of it.

    Returns
    -------
    protection : Protection or str
        What the clause asks for, or the name of the policy that does.
    end : int
        The place behind the last token of the clause.

    Raises
    ------
    ClauseError
        When the clause is incomplete, contradicts itself, or names what the table does not have.
    """
    reader = Reader(script, place + 1)
    reading = _Reading(reader, query)
    if not reader.skip("WITH", "POLICY"):
        return reading.protection(place), reader.place
    name = policy_name(reader, "PROTECT WITH POLICY weekly")
    if reader.word in _PARTS:
        raise reader.error(f"{reader.word} cannot follow WITH POLICY; hint: add it to the policy")
    reading.check_end()
    return name, reader.place


def parse_stored(reader: Reader) -> Protection:
    """Read the clause behind the word PROTECT in a policy: its table is not known, and its count is called n."""
    return _Reading(reader, None).protection(reader.place - 1)


@dataclass(slots=True)
class _Reading:
    reader: Reader
    query: TableQuery | None
    options: dict[str, Any] = field(default_factory=dict)

    def protection(self, start: int) -> Protection:
        reader = self.reader
        self._condition()
        while reader.skip("AND"):
            self._condition()
        if "k" not in self.options:
            raise reader.script.error(f"PROTECT needs a minimum count; hint: write {EXAMPLE}", start)
        if self.query is not None and self.query.person is not None and "per" not in self.options:
            person = as_identifier(self.query.person)
            hint = f"count(*), or {EXAMPLE} PER {person}" if "per_row" in self.options else f"{EXAMPLE} PER {person}"
            raise reader.script.error(f"count(DISTINCT {person}) counts people; hint: write {hint}", start)
        if reader.skip("SHOW"):
            self.options["show"], self.options["show_rows"] = read_shown(reader, self.query, self._known)
        if reader.skip("HIDE"):
            self.options["hide"] = read_rows(reader, self.query, "HIDE")
        if reader.skip("IMPOSSIBLE"):
            self.options["impossible"] = read_rows(reader, self.query, "IMPOSSIBLE")
        if reader.skip("COST"):
            self.options["cost"] = self._cost()
        if reader.skip("ROWS"):
            self.options["rows"] = self._word({"NULL": "null", "ABSENT": "absent"}, "ROWS ABSENT")
        if reader.skip("AGAINST"):
            self.options["contributors"] = self._contributors()
        if reader.skip("USING"):
            self._algorithm()
        self.check_end()
        return reader.checked(lambda: Protection(**self.options), start)

    def _condition(self) -> None:
        reader = self.reader
        start, word = reader.place, reader.word
        if word == "DOMINANCE" and reader.script.spelled(start + 1) == "(":
            reader.place += 2
            measure = self._sum()
            reader.expect(",", "and the number of contributors; hint: write dominance(s, 1) <= 0.8")
            largest = reader.decimal()
            if largest is None or not largest.isdecimal():
                raise reader.error("expected the number of contributors; hint: write dominance(s, 1) <= 0.8")
            reader.expect(")", "after the number of contributors")
            self._sign("<=", "dominance(s, 1) <= 0.8")
            share = reader.number("dominance(s, 1) <= 0.8")
            rule = reader.checked(lambda: Dominance(measure=measure, largest=int(largest), share=share), start)
            self.options["dominance"] = (*self.options.get("dominance", ()), rule)
        elif word == "P" and reader.script.spelled(start + 1) == "(":
            reader.place += 2
            measure = self._sum()
            reader.expect(")", "after the sum")
            self._sign(">=", "p(s) >= 10")
            percent = reader.number("p(s) >= 10")
            found = reader.checked(lambda: Ambiguity(measure=measure, percent=percent), start)
            self.options["ambiguity"] = (*self.options.get("ambiguity", ()), found)
        else:
            self._least(start)

    def _least(self, start: int) -> None:
        """Read the least count."""
        reader = self.reader
        if not reader.skip("COUNT", "(", "*", ")"):
            name = column_name(reader, EXAMPLE)
            if self.query is not None:
                self._known(name, "count", start, "write count(*) AS n in the SELECT list, then PROTECT n >= 5")
            elif same_name(name) != "n":
                raise reader.script.error(
                    f"in a policy, the count is called n, not {as_identifier(name)}; hint: write {EXAMPLE}", start
                )
        strict = reader.spelled == ">"
        if not strict:
            self._sign(">=", EXAMPLE)
        else:
            reader.place += 1
        number = reader.number(EXAMPLE)
        if number.denominator != 1:
            raise reader.script.error(f"the minimum count must be a whole number; hint: write {EXAMPLE}", reader.place - 1)
        self.options["k"] = max(self.options.get("k", 0), int(number) + strict)
        if reader.skip("PER", "ROW"):
            self.options["per_row"] = True
        elif reader.skip("PER"):
            self._people(column_name(reader, f"{EXAMPLE} PER patient"))

    def _people(self, person: str) -> None:
        """Take the column that tells people apart; the count cannot count others."""
        counted = person if self.query is None or self.query.person is None else self.query.person
        if same_name(counted) != same_name(person):
            name = as_identifier(counted)
            raise self.reader.script.error(
                f"PER {as_identifier(person)} and count(DISTINCT {name}) count different people; hint: write {EXAMPLE} PER "
                f"{name}",
                self.reader.place - 1,
            )
        self.options["per"] = counted

    def _sum(self) -> str:
        start, name = self.reader.place, column_name(self.reader, "dominance(s, 1) <= 0.8")
        if self.query is None:
            return name
        return self._known(name, "sum", start, "write sum(income) AS s in the SELECT list, then dominance(s, 1) <= 0.8").name

    def _known(self, name: str, kind: str, start: int, hint: str) -> Item:
        """Return a column of the table."""
        items = () if self.query is None else self.query.tabulation.items
        item = next((each for each in items if each.kind == kind and same_name(each.name) == same_name(name)), None)
        if item is None:
            hint = hint_of(name, [each.name for each in items if each.kind == kind], hint)
            raise self.reader.script.error(f"{as_identifier(name)} is not a {kind} of this table; hint: {hint}", start)
        return item

    def _sign(self, sign: str, hint: str) -> None:
        if not self.reader.skip(sign):
            raise self.reader.error(f"expected {sign}; hint: write {hint}")

    def _word(self, known: dict[str, Any], hint: str) -> Any:
        word = self.reader.word
        if word not in known:
            raise self.reader.error(f"expected {' or '.join(known)}; hint: write {hint}")
        self.reader.place += 1
        return known[word]

    def _cost(self) -> str:
        """Read what a row costs: a word, or a sum."""
        known = {each.upper(): each for each in COSTS}
        if self.query is None or self.reader.word in known:
            return str(self._word(known, "COST n"))
        hint = "COST cells, COST n, COST parts, or COST s for sum(income) AS s"
        start, name = self.reader.place, column_name(self.reader, hint)
        return self._known(name, "sum", start, f"write {hint}").name

    def _contributors(self) -> int:
        """Read how many people share what they have."""
        self._word({"CONTRIBUTORS": True}, "AGAINST CONTRIBUTORS")
        reader, start = self.reader, self.reader.place
        number = reader.decimal()
        if number is not None and (not number.isdecimal() or int(number) < 1):
            raise reader.script.error("expected a number of people of at least 1; hint: write AGAINST CONTRIBUTORS 2", start)
        return 1 if number is None else int(number)

    def _algorithm(self) -> None:
        reader = self.reader
        name = reader.unquote() if reader.kind is TokenType.IDENTIFIER else reader.word.lower()
        if name not in ALGORITHMS:
            raise reader.error(
                f"unknown algorithm {reader.spelled}; hint: {hint_of(name, ALGORITHMS, 'use ' + ', '.join(ALGORITHMS))}"
            )
        reader.place += reader.kind is not TokenType.IDENTIFIER and bool(reader.word)
        self.options["algorithm"] = name
        if reader.skip("("):
            reader.separated(self._option)
            reader.expect(")", "after the options")

    def _option(self) -> None:
        reader, start = self.reader, self.reader.place
        name = reader.word.lower()
        if name not in _OPTIONS:
            raise reader.error(
                f"unknown option {reader.spelled}; hint: {hint_of(name, _OPTIONS, 'use ' + ', '.join(_OPTIONS))}"
            )
        if name in self.options:
            raise reader.error(f"the option {name} is given twice; hint: write it once")
        reader.place += 1
        if not reader.skip("="):
            raise reader.error(f"expected = after {name}; hint: write {name} = ...")
        value: Any
        if reader.kind is TokenType.STRING:
            value = reader.unquote()
        elif reader.word in {"TRUE", "FALSE"}:
            value = reader.word == "TRUE"
            reader.place += 1
        else:
            number = reader.number("time_limit = 60")
            value = int(number) if number.denominator == 1 else float(number)
        self.options[name] = value
        reader.checked(lambda: Protection(**{name: value}), start)

    def check_end(self) -> None:
        """Check what follows the clause: only what follows a whole query."""
        reader = self.reader
        if reader.spelled in {"", ";", ")", "]", "}"} or reader.word in _BEHIND:
            return
        if reader.word in SET_OPERATIONS:
            raise reader.error(f"{reader.word} cannot be combined with PROTECT; hint: put each protected query in parentheses")
        raise _unexpected(reader)


def _unexpected(reader: Reader) -> ClauseError:
    if reader.word == "PROTECT":
        return reader.error("a query can have only one PROTECT clause; hint: join the conditions with AND")
    if reader.word in {"WHERE", "GROUP", "HAVING"}:
        return reader.error(f"{reader.word} must come before PROTECT; hint: write PROTECT after GROUP BY")
    if reader.word in _PARTS:
        return reader.error(f"{reader.word} is in the wrong place; hint: order the parts as {', '.join(_PARTS)}")
    hint = hint_of(reader.word, _PARTS, f"order the parts as {', '.join(_PARTS)}")
    return reader.error(f"unexpected {reader.spelled} in PROTECT; hint: {hint}")
