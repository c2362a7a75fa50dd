"""The result of an append."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.certificate import Certificate


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What an append did.

    Attributes
    ----------
    number : int, optional
        The number of the batch, from 1; None where nothing was released.
    released : int
        Rows that were released.
    waiting : int
        Rows that were never released and wait for a later batch, those of ``returning`` people among them.
    returning : int
        New rows of people who were released before.
    changed, deleted : int
        Released rows that the source has changed, or no longer has.
    rows : int
        Rows of the whole release now.
    certificate : Certificate, optional
        That of the batch.

    Examples
    --------
    >>> batch = Batch(
    ...     number=2, released=190, waiting=3, returning=0, changed=0, deleted=0, rows=387, certificate=None
    ... )
    >>> batch.figures()
    {'batch': '2', 'released': '190 rows, 387 in all', 'waiting': '3 rows'}
    """

    number: int | None
    released: int
    waiting: int
    returning: int
    changed: int
    deleted: int
    rows: int
    certificate: Certificate | None

    def __str__(self) -> str:
        did = "nothing was released" if self.number is None else f"batch {self.number}: {self.released:,} rows"
        return f"{did}, {self.waiting:,} wait, {self.rows:,} in all"

    def figures(self) -> dict[str, str]:
        """Return the figures, for people."""
        return {
            "batch": "none: nothing was released" if self.number is None else f"{self.number:,}",
            "released": f"{self.released:,} rows, {self.rows:,} in all",
            "waiting": f"{self.waiting:,} rows",
            **({"people released before": f"{self.returning:,} rows"} if self.returning else {}),
            **({"changed since": f"{self.changed:,} rows"} if self.changed else {}),
            **({"deleted since": f"{self.deleted:,} rows"} if self.deleted else {}),
            **({} if self.certificate is None else self.certificate.figures()),
        }
