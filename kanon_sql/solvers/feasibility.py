"""What a policy promises of every class of a table, refused where not even the whole table keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.errors import InfeasibleError
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import AlphaAnonymity, KAnonymity, LDiversity, People, TCloseness
from kanon_sql.table.coded_table import CodedTable, Sensitive

if TYPE_CHECKING:
    from kanon_sql.solvers.people.crowd import Crowd
    from kanon_sql.solvers.sensitive.promise import Promise


def promised(table: CodedTable, policy: Policy) -> Promise | Crowd | None:
    """Return what each class has to promise, None where that is k alone; refuses what the whole table does not keep.

    Whatever classes keep, their union keeps too: so if the whole table does not, no release does.
    """
    if not policy.measured:
        return None
    from kanon_sql.solvers.people.crowd import Crowd
    from kanon_sql.solvers.sensitive.promise import Promise

    everyone = np.arange(table.row_types, dtype=np.int32)
    together = np.zeros(table.row_types, np.int64)
    for requirement in policy.requirements:
        if isinstance(requirement, KAnonymity | TCloseness):
            continue
        alone = (Crowd if isinstance(requirement, People) else Promise).of(table, (requirement,))
        if not alone.holds(together, everyone, table.weight)[0]:
            (about,) = (each for each in table.sensitive if each.column == requirement.sensitive)
            raise InfeasibleError(
                f"{requirement.describe()} holds in no release, because not even in the whole table: "
                f"{_figures(requirement, about)}; hint: promise less, or make the values coarser"
            )
    return (Promise if policy.people is None else Crowd).of(table, policy.requirements)


def _figures(requirement: People | LDiversity | AlphaAnonymity, about: Sensitive) -> str:
    """Return what a requirement counts in the whole table, without a value of it."""
    count = sorted(about.count.tolist(), reverse=True)
    rows = sum(count)
    if isinstance(requirement, People):
        return f"it has rows of {len(count) - (about.empty >= 0)} people"
    if isinstance(requirement, AlphaAnonymity):
        return f"{about.count[about.named[requirement.value]]} of {rows} rows"
    if requirement.variant == "frequency":
        return f"one value has {count[0]} of {rows} rows"
    if requirement.variant == "distinct":
        return f"it has {len(count)} different values"
    if requirement.variant == "entropy":
        shares = about.count / rows
        return f"its entropy is that of {np.exp(-(shares @ np.log(shares))):.6f} values"
    tail = sum(count[int(requirement.l) - 1 :])
    return f"its most frequent value has {count[0]} rows, those from place {requirement.l} on {tail}"
