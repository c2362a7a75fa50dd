"""One release of rows that the studio made or is making."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from kanon_sql.certificate import Certificate
from kanon_sql.errors import SourceError
from kanon_sql.studio.search import Search

if TYPE_CHECKING:
    import pyarrow as pa

    from kanon_sql.studio.draft import Draft


class Run(Search):
    """A release with a name.

    Parameters
    ----------
    number : int
        Its number, from 1.
    name : str
        What the user calls it.
    draft : Draft
        The statement in parts.
    """

    def __init__(self, number: int, name: str, draft: Draft) -> None:
        *earlier, statement = draft.statements
        super().__init__(statement, earlier)
        self.number, self.name, self.draft = number, name, draft

    @cached_property
    def release(self) -> tuple[Certificate, pa.Table]:
        """Return the certificate and the rows.

        Raises
        ------
        SourceError
            When there is no release.
        """
        if self.proof is None or self.rows is None:
            raise SourceError(f"{self.name} has no release; hint: choose a run that ended with one")
        return Certificate.from_json(self.proof), self.rows
