"""A suggested policy in the place of an older one: it is no weaker, and what it changes is shown."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import unified_diff
from pathlib import Path

from kanon_sql.errors import PolicyError
from kanon_sql.model.policy_file import ENDINGS, read, text_of
from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.model.validation import as_identifier, same_name


def differences(target: str, text: str, found: StoredPolicy) -> list[str]:
    """Return the lines that a new text changes in a file, none if there is no such file yet.

    Parameters
    ----------
    target : str
        The file.
    text : str
        Its new text.
    found : StoredPolicy
        What the text says.

    Raises
    ------
    PolicyError
        When the file has a policy of that name with a larger k, or one that counts people if the new one does not.
    """
    if not Path(target).exists():
        return []
    before = text_of(target)
    if Path(target).suffix.lower() in ENDINGS:
        _refuse_weaker(target, read(before, target), found)
    return _changed(before.splitlines(), text.splitlines())


def _refuse_weaker(target: str, policies: Iterable[object], found: StoredPolicy) -> None:
    for each in policies:
        if not isinstance(each, StoredPolicy) or same_name(each.name) != same_name(found.name):
            continue
        old, new = each.policy, found.policy
        if old.least_class_size > new.least_class_size:
            least = old.least_class_size
            raise PolicyError(f"{target} guarantees k >= {least}, more than the new policy; hint: --k {least}, or another -o")
        if old.people is not None and new.people is None:
            per = as_identifier(old.people.per)
            raise PolicyError(f"{target} counts people PER {per}, and the new policy counts rows; hint: choose another -o")


def _changed(before: list[str], after: list[str]) -> list[str]:
    lines = unified_diff(before, after, n=0, lineterm="")
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]
