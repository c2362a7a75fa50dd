"""What a certificate says of guarantees for known columns: what was counted, and what anyone gets who knows more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kanon_sql.certificate.certificate import Certificate
from kanon_sql.model.how_many import how_many
from kanon_sql.model.requirements import KnownColumns

Figures = Sequence[int | None]
"""Of a requirement: the sets, the smallest class in rows, and in people if it counts them. Then of sets of one column more: how
many, the rows in classes of fewer than k rows added up over them, and the same of the worst set."""


def with_known(certificate: Certificate, requirements: Sequence[KnownColumns], counted: Sequence[Figures]) -> Certificate:
    """Return a certificate with what the audit counted by known columns."""
    if not requirements:
        return certificate
    smallest, people = ([size for each in counted if (size := each[place]) is not None] for place in (1, 2))
    columns = [each.columns for each in requirements if each.columns is not None]
    warnings = [_beyond(*each, certificate.rows) for each in zip(requirements, counted, strict=True)]
    return replace(
        certificate,
        known_columns=max(columns, default=None),
        sets_audited=sum(each[0] or 0 for each in counted),
        smallest_class_known=min(smallest, default=None),
        smallest_class_known_people=min(people, default=None),
        warnings=(*certificate.warnings, *filter(None, warnings)),
    )


def _beyond(requirement: KnownColumns, counted: Figures, rows: int) -> str:
    """Return what anyone gets who knows more than the guarantee is about; nothing if that is nothing."""
    sets, _, _, following, below, worst = counted
    of_values = "" if requirement.of is None else requirement.of.describe()
    guarantee = f"{requirement.describe()} is not {of_values or f'{requirement.k}-anonymity'}"
    fewer = f"fewer than {requirement.k} rows"
    if requirement.columns is None:
        may = f"may find classes that break {of_values}" if of_values else f"may find {fewer}"
        return f"{guarantee}: an attacker who knows columns other than these {may}"
    if sets == 1:
        return ""  # all columns are known
    more = requirement.columns + 1
    if not following or below is None or worst is None or not rows:
        may = f"may find classes that break {of_values}" if of_values else f"may find {fewer}"
        return f"{guarantee}: an attacker who knows {more} columns {may}"
    if not below:
        return ""
    share, most = below / (following * rows), worst / rows
    among = f"in classes that break {of_values}" if of_values else f"in classes of {fewer}"
    return (
        f"{guarantee}: an attacker who knows {how_many(more, 'column')} finds {share:.2%} of the rows {among} on average, and "
        f"{most:.2%} with the worst {more} columns"
    )
