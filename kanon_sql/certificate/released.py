"""What a release is in Python: rows of the kind that came in, their certificate, and the statement that made them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar


class Shown(Protocol):
    """A certificate that notebooks show."""

    def _repr_html_(self) -> str: ...


C = TypeVar("C", bound=Shown)


@dataclass(frozen=True, kw_only=True)
class Released(Generic[C]):
    """A table and its certificate, which is what is shown of both."""

    table: Any = field(repr=False)  # the rows, of the kind that came in: Arrow, pandas, polars, or a DuckDB relation
    certificate: C  # what is proven about them
    sql: str = field(repr=False)  # the statement that made the table

    def __repr__(self) -> str:
        return repr(self.certificate)

    def _repr_html_(self) -> str:
        return self.certificate._repr_html_()
