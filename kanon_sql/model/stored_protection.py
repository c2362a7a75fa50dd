"""A policy with a name for tables of counts and sums: what PROTECT asks of each of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from kanon_sql.errors import PolicyError, UnknownColumnError
from kanon_sql.model.named_rows import NamedRow, as_data, names_of, spelled_as
from kanon_sql.model.protection import Ambiguity, Dominance, Protection
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.model.validation import as_identifier, encodable, known_keys, named, parsed, plain_number, same_name

KEY = "protect"
"""The key of the JSON of a policy that tells it from one for rows."""

_ROWS = ("show", "hide", "impossible")

OPTIONS = tuple(name for name in Protection.__dataclass_fields__ if name not in ("dominance", "ambiguity", "show_rows", *_ROWS))
"""The names under it are these, p and dominance, and what names rows: show, hide and impossible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredProtection:
    """A policy for tables of counts and sums, as it is stored in a database.

    Raises
    ------
    PolicyError
        When the name or the table is not a text.
    """

    name: str  # its name; case does not count
    table: str  # the table that it belongs to, as SQL spells it
    protection: Protection  # What it asks for. Rules name sums, and ``show`` names rows, that a table need not have.

    def __post_init__(self) -> None:
        for what, value in (("name", self.name), ("table", self.table)):
            encodable(named(value, f"the {what} of a policy", "a text", "weekly ON patients"), f"the {what} of a policy")
        self.protection.check_cost(())

    def __str__(self) -> str:
        return f'the policy "{self.name}"'

    @property
    def guarantee(self) -> str:
        """Return what is guaranteed, as the clause writes it."""
        return " AND ".join(self.protection.requirements)

    def check_columns(self, columns: Sequence[str]) -> None:
        """Check that the policy fits a table: it has the column that tells people apart.

        Raises
        ------
        UnknownColumnError
            When it does not.
        """
        per = self.protection.per
        if per is not None and same_name(per) not in set(map(same_name, columns)):
            raise UnknownColumnError.of(per, columns, str(self))

    def protection_for(self, table: Tabulation, person: str | None) -> Protection:
        """Return the requirement of a table.

        Parameters
        ----------
        person : str or None
            The column in count(DISTINCT column), if the table has that. Under a policy with PER, count(*) counts people, too.

        Notes
        -----
        Rules about sums that the table does not have are left out, and what SHOW names of it. All of HIDE and IMPOSSIBLE
        applies: without one of their keys, a table might show what they are about.

        Raises
        ------
        PolicyError
            When the table counts other people, has a sum without a rule under a policy with rules, or lacks a key of HIDE or
            IMPOSSIBLE.
        """
        requested = self.protection
        if requested.per is not None and person is not None and same_name(person) != same_name(requested.per):
            raise PolicyError(
                f"{self} counts people by {as_identifier(requested.per)}, not by {as_identifier(person)}; hint: "
                "write count(*) AS n, which uses the column of the policy"
            )
        if requested.per is None and person is not None:
            raise PolicyError(
                f"{self} counts rows, not people; hint: write count(*) AS n, or add PER {as_identifier(person)} to the policy"
            )
        sums = {same_name(each.name): each.name for each in table.items if each.kind == "sum"}
        ruled = {same_name(rule.measure): rule.measure for rule in requested.rules}
        for name, spelled in sums.items():
            if ruled and name not in ruled:
                rules = ", ".join(map(as_identifier, ruled.values()))
                raise PolicyError(
                    f"{self} has no rule for the sum {as_identifier(spelled)}; hint: add a rule for it, or use a sum with "
                    f"a rule: {rules}"
                )
        return replace(
            requested,
            per=requested.per if person is None else person,
            ambiguity=tuple(_renamed(rule, sums) for rule in requested.ambiguity if same_name(rule.measure) in sums),
            dominance=tuple(_renamed(rule, sums) for rule in requested.dominance if same_name(rule.measure) in sums),
            show=tuple(found for names in requested.show if (found := _shown(names, table)) is not None),
            show_rows=tuple(spelled_as(row, table) for row in requested.show_rows if _shown(names_of(row), table) is not None),
            hide=self._spelled("HIDE", requested.hide, table),
            impossible=self._spelled("IMPOSSIBLE", requested.impossible, table),
        )

    def _spelled(self, word: str, rows: Sequence[NamedRow], table: Tabulation) -> tuple[NamedRow, ...]:
        """Return rows as a table spells their keys."""
        for name in (name for row in rows for name in names_of(row)):
            if table.named(name, "key") is None:
                raise PolicyError(
                    f"{self} lists rows by {as_identifier(name)} in {word}, but the table has no such key; hint: add it "
                    "to the keys, or use a policy without these rows"
                )
        return tuple(spelled_as(row, table) for row in rows)

    def to_json(self) -> str:
        """Return the canonical JSON text: the least count, and all options that differ from their defaults."""
        requested, usual = self.protection, Protection()
        said: dict[str, Any] = {
            name: getattr(requested, name) for name in OPTIONS if getattr(requested, name) != getattr(usual, name)
        }
        said["k"] = requested.k
        rows = {"show": [*map(list, requested.show), *map(as_data, requested.show_rows)]}
        rows |= {"hide": [*map(as_data, requested.hide)], "impossible": [*map(as_data, requested.impossible)]}
        said |= {name: listed for name, listed in rows.items() if listed}
        if requested.ambiguity:  # of two rules about a sum, the larger one holds
            rules = sorted(requested.ambiguity, key=lambda rule: rule.percent)
            said["p"] = {rule.measure: plain_number(rule.percent) for rule in rules}
        if requested.dominance:
            pairs: dict[str, list[Any]] = {}
            for each in requested.dominance:
                pairs.setdefault(each.measure, []).append([each.largest, str(each.share)])
            said["dominance"] = {name: several[0] if len(several) == 1 else several for name, several in pairs.items()}
        return json.dumps({KEY: said}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    @classmethod
    def from_json(cls, name: str, table: str, text: str) -> StoredProtection:
        """Read a policy back from the JSON of its columns.

        Raises
        ------
        PolicyError
            When it is none.
        """
        whose = f'the policy "{name}"'
        data = known_keys(parsed(text, whose), {KEY}, whose, [KEY])
        said = known_keys(data[KEY], {*OPTIONS, *_ROWS, "p", "dominance"}, f"{KEY} of {whose}", ["k"])
        return cls(name=name, table=table, protection=Protection.of(**said))


_Rule = TypeVar("_Rule", Ambiguity, Dominance)


def _renamed(rule: _Rule, sums: dict[str, str]) -> _Rule:
    """Return a rule about a sum as the table spells it."""
    return replace(rule, measure=sums[same_name(rule.measure)])


def _shown(names: Sequence[str], table: Tabulation) -> tuple[str, ...] | None:
    """Return a grouping set as the table spells its keys, None if it does not have it."""
    keys = [table.named(name, "key") for name in names]
    places = tuple(sorted({each.places[0] for each in keys if each is not None}))
    return None if None in keys or places not in table.sets else tuple(each.name for each in keys if each is not None)
