"""The result of an append."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.certificate import Certificate
from kanon_sql.model.how_many import how_many


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
        did = "nothing was released" if self.number is None else f"batch {self.number}: {how_many(self.released, 'row')}"
        people = None if self.certificate is None else self.certificate.smallest_class_people
        counted = "" if people is None else f", people of the smallest class: {people:,}"
        return f"{did}, {how_many(self.waiting, 'waits', 'wait')}, {self.rows:,} in all{counted}"

    def figures(self) -> dict[str, str]:
        """Return the figures, for people."""
        return {
            "batch": "none: nothing was released" if self.number is None else f"{self.number:,}",
            "released": f"{how_many(self.released, 'row')}, {self.rows:,} in all",
            "waiting": how_many(self.waiting, "row"),
            **({"people released before": how_many(self.returning, "row")} if self.returning else {}),
            **({"changed since": how_many(self.changed, "row")} if self.changed else {}),
            **({"deleted since": how_many(self.deleted, "row")} if self.deleted else {}),
            **({} if self.certificate is None else self.certificate.figures()),
        }
