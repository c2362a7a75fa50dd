"""A suggested policy: a role for each column with its reason, and the statement that stores it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from kanon_sql.model.masks import columns_of
from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.model.validation import as_identifier


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """The role of a column, and why."""

    column: str
    # ``identifier``, ``quasi-identifier``, ``sensitive``, ``kept``, ``person`` for the column that tells people apart, or
    # ``undecided``
    role: str
    reason: str  # why it is this one
    recoding: str | None = None  # how its cells may be coarsened, as the clause writes it
    weight: Fraction | int = 1  # what a suppressed cell of it costs


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A policy to start from.

    Attributes
    ----------
    policy : StoredPolicy
        The policy.
    roles : tuple of Role
        A role for each column, in the order of the table.
    unique_columns : tuple of (tuple of str, float)
        The sets of columns that single most people out, and the share that each does; of rows if none tells people apart.
    notes : tuple of str
        What to know: about the people of the table, and about the rule of a template.

    Examples
    --------
    >>> import kanon_sql, pyarrow as pa
    >>> suggested = kanon_sql.suggest(pa.table({"zip": ["98101", "98102"], "ward": ["a", "a"]}), k=2)
    >>> [(each.column, each.role) for each in suggested.roles]
    [('zip', 'quasi-identifier'), ('ward', 'kept')]
    """

    policy: StoredPolicy
    roles: tuple[Role, ...]
    unique_columns: tuple[tuple[tuple[str, ...], float], ...]
    notes: tuple[str, ...] = ()

    @property
    def undecided(self) -> tuple[str, ...]:
        """Return the columns without a role; the policy releases nothing with them until they have one."""
        return tuple(each.column for each in self.roles if each.role == "undecided")

    @property
    def questions(self) -> tuple[str, ...]:
        """Return what somebody has to decide, a line for each column."""
        return tuple(
            f"? {_plain(as_identifier(each.column))}: IDENTIFIER, BY or KEEP?  ({_plain(each.reason)})"
            for each in self.roles
            if each.role == "undecided"
        )

    @property
    def sql(self) -> str:
        """Return the statement that stores the policy, with the reasons as comments.

        Notes
        -----
        It can be run unchanged if no column is undecided. Such a column is in a comment, and the statement is refused.
        """
        lines = ["-- Suggested from names, types and counts. Review this policy before you release anything under it."]
        lines += [f"-- {_plain(each)}" for each in self.notes]
        what = "rows" if self.policy.policy.people is None else "people"
        lines += [
            f"-- {_plain(', '.join(names))}: {share:.1%} of the {what} are singled out" for names, share in self.unique_columns
        ]
        many = [each for each in self.roles if each.role == "quasi-identifier" and each.recoding == "HIERARCHY"]
        lines += [
            f"-- {_plain(each.column)} has many values: a hierarchy would preserve more detail; see reference/generalization.md"
            for each in many
        ]
        lines.append(f"CREATE ANONYMIZATION POLICY {as_identifier(self.policy.name)} ON {self.policy.table} (")
        for word, role in (("IDENTIFIER", "identifier"), ("BY", "quasi-identifier"), ("KEEP", "kept")):
            chosen = [each for each in self.roles if each.role == role]
            lines += self._sets(chosen) if word == "BY" and self.policy.policy.masks is not None else _part(word, chosen)
        lines += [f"    -- {each}" for each in self.questions]
        lines += [f"    -- {_plain(each.column)}: {each.reason}" for each in self.roles if each.role in ("sensitive", "person")]
        lines.append(f"    GUARANTEE {' AND '.join(each.describe() for each in self.policy.policy.requirements)}")
        return "\n".join([*lines, ");", ""])

    def _sets(self, roles: list[Role]) -> Iterator[str]:
        """Yield the quasi-identifiers as the masks that are permitted."""
        written = {each.column: _written(each) for each in roles}
        yield from (f"    -- {_plain(each.column)}: {_plain(each.reason)}" for each in roles)
        sets = [f"({', '.join(written[name] for name in columns_of(mask))})" for mask in self.policy.policy.masks or ()]
        yield "    BY GROUPING SETS ("
        yield from (f"        {each}{'' if number == len(sets) else ','}" for number, each in enumerate(sets, 1))
        yield "    );"

    def __repr__(self) -> str:
        return self.sql


def _plain(text: str) -> str:
    """Return a text for a comment of one line."""
    return "".join(letter if letter.isprintable() else "?" for letter in " ".join(text.split()))


def _written(role: Role) -> str:
    """Return a column as the policy names it, with its levels and its weight."""
    clause = as_identifier(role.column)
    if role.recoding is not None and role.recoding != "HIERARCHY":
        clause += f" {role.recoding}" if role.recoding.startswith(("TOP", "BOTTOM")) else f" IN {role.recoding}"
    return clause if role.weight == 1 else f"{clause} WEIGHT {role.weight}"


def _part(word: str, roles: list[Role]) -> Iterator[str]:
    for place, each in enumerate(roles):
        head = f"    {word} " if place == 0 else " " * (5 + len(word))
        yield f"{head}{_written(each)}{';' if place + 1 == len(roles) else ','}  -- {_plain(each.reason)}"
