"""What certificates have in common; and a release in Python: rows, their certificate, and the statement that made them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from html import escape
from typing import Any, ClassVar, Generic, Self, TypeVar

from kanon_sql.certificate.file import Layout, read, write

_ROW = '<tr><th scope="row" style="text-align:left">{}</th><td style="text-align:left">{}</td></tr>'


class CertificateBase(ABC):
    """Figures for people, and a file: one claim a line, and a checksum at the end."""

    __slots__ = ()

    LAYOUT: ClassVar[Layout]
    """The kind of its file."""

    @abstractmethod
    def figures(self) -> dict[str, str]:
        """Return what the certificate says in rounded figures, for people."""

    def __repr__(self) -> str:
        """Return one line for each figure."""
        return "\n".join(f"{name:<18}{text}" for name, text in self.figures().items())

    def _repr_html_(self) -> str:
        """Return the figures as a small table in the colours of the page around it."""
        rows = "".join(_ROW.format(escape(name), escape(value)) for name, value in self.figures().items())
        return f'<table><caption style="text-align:left">certificate</caption><tbody>{rows}</tbody></table>'

    def to_json(self) -> str:
        """Return the text of a certificate file: one claim a line, exact numbers, a checksum at the end."""
        return write({name: getattr(self, name) for name in self.LAYOUT.claims}, self.LAYOUT)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read a certificate file.

        Raises
        ------
        CertificateError
            When the text is not a certificate, or its checksum does not match.
        """
        document = read(text, cls.LAYOUT)
        document.require_checksum()
        return cls.from_claims(document.claims)

    @classmethod
    def from_claims(cls, claims: dict[str, Any]) -> Self:
        """Return the certificate of what a file claims."""
        return cls(**claims)


C = TypeVar("C", bound=CertificateBase)


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
