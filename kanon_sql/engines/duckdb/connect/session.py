"""What kanon-sql remembers of one DuckDB instance: its releases, its secret, and its connections."""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb

from kanon_sql.certificate import Certificate
from kanon_sql.certificate.exposure import refuse_unlisted, unchanged_columns, warnings_of
from kanon_sql.certificate.known_columns import Figures, with_known
from kanon_sql.engines.announcing import Announcements
from kanon_sql.engines.duckdb.connect.binding import Binding
from kanon_sql.engines.duckdb.connect.remembered_failures import RememberedFailures
from kanon_sql.engines.duckdb.connect.running_search import RunningSearch
from kanon_sql.engines.duckdb.gather.gathering import Gatherings
from kanon_sql.engines.duckdb.histories.token_memory import TokenMemory
from kanon_sql.engines.duckdb.policies.allowed_files import AllowedFiles
from kanon_sql.errors import PolicyError, SourceError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy
from kanon_sql.model.secret import Secret, secret_of
from kanon_sql.model.surfaces import Surface

if TYPE_CHECKING:
    from kanon_sql.certificate.history_certificate import HistoryCertificate
    from kanon_sql.engines.duckdb.cells.ledger import ProtectedTables

_Function = TypeVar("_Function", bound=Callable[..., Any])


class Session:
    """The releases of one DuckDB instance, shared by its cursors.

    Parameters
    ----------
    secret : str or bytes, optional
        See `secret_of`; found when it is first needed.

    Attributes
    ----------
    allowed_files : AllowedFiles
        The files that stored policies may read.
    binding : Binding
        What is known of the statements that are being bound.
    failures : RememberedFailures
        The last failures inside of functions.
    search : RunningSearch
        The solver that is at work.
    linked_releases : list of HistoryCertificate
        The releases whose tokens link the rows of people, oldest first.
    """

    def __init__(self, secret: str | bytes | None = None) -> None:
        self._secret: Secret | None = None if secret is None else secret_of(secret)
        self.allowed_files = AllowedFiles()
        self.binding = Binding()
        self.failures = RememberedFailures()
        self.search = RunningSearch()
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._releases: dict[int, Certificate] = {}
        self._makers: dict[int, int] = {}
        self._surfaces: dict[int, Surface] = {}
        self._connections: weakref.WeakSet[Any] = weakref.WeakSet()
        self._functions: list[Callable[..., Any]] = []
        self.gatherings = Gatherings()
        self.announcements = Announcements()
        self.tokens = TokenMemory()
        self._protected_tables: ProtectedTables | None = None
        self._linked_numbers = itertools.count(1)
        self.linked_releases: list[HistoryCertificate] = []

    def __repr__(self) -> str:
        return f"<kanon session, {how_many(len(self._releases), 'release')}>"

    def keep(self, function: _Function) -> _Function:
        """Return a function that lives as long as the session."""
        self._functions.append(function)
        return function

    @property
    def secret(self) -> Secret:
        """Return the secret, the same for all releases of the instance."""
        with self._lock:
            if self._secret is None:
                self._secret = secret_of()
            return self._secret

    @property
    def protected_tables(self) -> ProtectedTables:
        """Return the tables of counts and sums that were released."""
        with self._lock:
            if self._protected_tables is None:
                from kanon_sql.engines.duckdb.cells.ledger import ProtectedTables

                self._protected_tables = ProtectedTables(self.cursor, lambda: self.secret)
            return self._protected_tables

    def share(self, secret: str | bytes) -> None:
        """Take a secret that a further connection to the instance brings.

        Raises
        ------
        PolicyError
            When the instance has another secret.
        """
        given = secret_of(secret)
        with self._lock:
            self._secret = self._secret or given
            if self._secret.key != given.key:
                raise PolicyError(
                    "the database is open with a different secret; hint: pass your secret when you first connect to it"
                )

    def serve(self, con: Any) -> None:
        """Know a connection of the instance; it is not kept open."""
        self._connections.add(con)

    def cursor(self) -> Any:
        """Return a new connection to the instance; it sees what is committed.

        Raises
        ------
        SourceError
            When every connection that was registered is closed.
        """
        for con in list(self._connections):
            with suppress(duckdb.ConnectionException):
                return con.cursor()
        raise SourceError("the registered connection is closed; hint: call kanon_sql.register on this connection")

    @property
    def releases(self) -> list[Certificate]:
        """Return the certificates of all releases that passed the audit, oldest first."""
        with self._lock:
            return [certificate for certificate in self._releases.values() if certificate.audited]

    def maker(self, certificate: Certificate) -> int | None:
        """Return the connection that made a release, as DuckDB numbers connections: each runs one statement at a time."""
        with self._lock:
            return self._makers.get(certificate.number or 0)

    def record(self, certificate: Certificate, connection: int, surface: Surface = "clause") -> int:
        """Keep the certificate of what a connection releases, in the words of a surface, and return its number."""
        repeatable = self.secret.repeatable
        with self._lock:
            number = next(self._numbers)
            self._releases[number] = replace(certificate, number=number, repeatable=repeatable)
            self._makers[number], self._surfaces[number] = connection, surface
            return number

    def forget(self, certificate: Certificate) -> None:
        """Let go of the certificate of a release that nobody gets."""
        self.announcements.drop(certificate.number or 0)
        with self._lock:
            self._releases.pop(certificate.number or 0, None)
            self.tokens.taken_back(certificate.number or 0)
            self._makers.pop(certificate.number or 0, None)
            self._surfaces.pop(certificate.number or 0, None)

    def passed(
        self,
        number: int,
        classes: int,
        smallest_class: int,
        people: int | None = None,
        exposed: Mapping[str, Any] | None = None,
        known: Sequence[Figures] | None = None,
    ) -> None:
        """Note what the audit counted, also in people and by known columns, and what columns released unchanged reveal.

        Raises
        ------
        UnlistedColumnError
            When columns without a role reveal too much.
        """
        certificate, judged = self.release(number).passed(classes, smallest_class, people), True
        policy = Policy.from_json(certificate.policy)
        if exposed is not None:
            refuse_unlisted(exposed, policy, self._surfaces[number])
            unchanged, warnings = unchanged_columns(exposed), warnings_of(exposed, policy)
            all_warnings = (*certificate.warnings, *warnings)
            certificate, judged = replace(certificate, unchanged=unchanged, warnings=all_warnings), not policy.pseudonyms
        certificate = with_known(certificate, policy.known_requirements, known or ())
        self.amend(certificate, announced=judged)  # tokens are judged after the audit

    def link(self, certificate: HistoryCertificate) -> None:
        """Keep and announce the certificate of a release whose tokens link the rows of people.

        Raises
        ------
        AuditError
            When Python treats warnings as errors.
        """
        certificate = replace(certificate, number=next(self._linked_numbers))
        self.announcements.add(certificate)
        self.linked_releases.append(certificate)

    def release(self, number: int) -> Certificate:
        """Return the certificate of a release, audited or not."""
        with self._lock:
            return self._releases[number]

    def amend(self, certificate: Certificate, *, announced: bool = True) -> None:
        """Keep what more is known of a release; announce it if nothing can refuse it any more.

        Raises
        ------
        AuditError
            When Python treats warnings as errors.
        """
        if announced:
            self.announcements.add(certificate)
        with self._lock:
            self._releases[certificate.number or 0] = certificate
