"""The source of a release with the columns that the release left out, and without them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kanon_sql.engines.duckdb.files.tables import columns
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.errors import PolicyError
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_checks import OWN
from kanon_sql.model.validation import same_name

if TYPE_CHECKING:
    from kanon_sql.certificate import Certificate

WHOLE = f"{OWN}whole"
"""The table that has all columns."""


def stated_unit(certificate: Certificate | None, per: str | None, per_row: bool) -> dict[str, Any]:
    """Return what a row is: as a certificate says, else as requested.

    Raises
    ------
    PolicyError
        When both are given.
    """
    if certificate is None:
        return {"per": per, "per_row": per_row}
    if per is not None or per_row:
        raise PolicyError("the certificate already defines what a row is; hint: omit per and per_row")
    people = Policy.from_json(certificate.policy).people
    return {} if people is None else {"per": people.per}


def without_left_out(con: Any, unit: Mapping[str, Any]) -> list[str]:
    """Make the view ``source`` of the columns that the release has or counts people by, and return their names.

    Parameters
    ----------
    con : connection
        A DuckDB connection with the tables `WHOLE` and ``released``.
    unit : mapping
        As from `stated_unit`.
    """
    kept = {*map(same_name, columns(con, "released")), same_name(unit.get("per") or "")}
    every = columns(con, WHOLE)
    names = [name for name in every if same_name(name) in kept] or every
    con.execute(f"CREATE TEMP VIEW source AS SELECT {', '.join(map(quoted, names))} FROM {quoted(WHOLE)}")  # noqa: S608
    return names
