"""A suggested policy: a role for each column with its reason, and the statement that stores it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.model.validation import as_identifier


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """The role of a column, and why.

    Parameters
    ----------
    column : str
        The column.
    role : str
        ``identifier``, ``quasi-identifier``, ``sensitive`` or ``kept``.
    reason : str
        Why it is this one.
    recoding : str, optional
        How its cells may be coarsened, as the clause writes it.
    """

    column: str
    role: str
    reason: str
    recoding: str | None = None


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
        The sets of columns that single most rows out, and the share of the rows that each does.

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

    @property
    def sql(self) -> str:
        """Return the statement that stores the policy, with the reasons as comments; it can be run unchanged."""
        lines = ["-- A suggestion by names, types and counts. Read it before anything is released under it."]
        lines += [f"-- {_plain(', '.join(names))}: {share:.1%} of the rows singled out" for names, share in self.unique_columns]
        many = [each for each in self.roles if each.role == "quasi-identifier" and each.recoding == "HIERARCHY"]
        lines += [
            f"-- {_plain(each.column)} has many values: a hierarchy of them would lose less, see reference/generalization.md"
            for each in many
        ]
        lines.append(f"CREATE ANONYMIZATION POLICY {as_identifier(self.policy.name)} ON {self.policy.table} (")
        for word, role in (("IDENTIFIER", "identifier"), ("BY", "quasi-identifier"), ("KEEP", "kept")):
            lines += _part(word, [each for each in self.roles if each.role == role])
        lines += [f"    -- {_plain(each.column)}: {each.reason}" for each in self.roles if each.role == "sensitive"]
        lines.append(f"    GUARANTEE {' AND '.join(each.describe() for each in self.policy.policy.requirements)}")
        return "\n".join([*lines, ");", ""])

    def __repr__(self) -> str:
        return self.sql


def _plain(text: str) -> str:
    """Return a text for a comment of one line."""
    return " ".join(text.split())


def _part(word: str, roles: list[Role]) -> Iterator[str]:
    for place, each in enumerate(roles):
        told = as_identifier(each.column)
        if each.recoding is not None and each.recoding != "HIERARCHY":
            told += f" IN {each.recoding}"
        head = f"    {word} " if place == 0 else " " * (5 + len(word))
        yield f"{head}{told}{';' if place + 1 == len(roles) else ','}  -- {_plain(each.reason)}"
