"""What kanon-sql remembers of one DuckDB instance: its releases, and the last failures inside of functions."""

from __future__ import annotations

import itertools
import json
import threading
import weakref
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

import duckdb

from kanon_sql.certificate import Certificate
from kanon_sql.certificate.exposure import refuse_unlisted, unchanged_columns, warnings_of
from kanon_sql.engines.duckdb.announcing import Announcements
from kanon_sql.engines.duckdb.gatherings import Gatherings
from kanon_sql.engines.duckdb.policy_tables import AllowedFiles
from kanon_sql.engines.duckdb.token_memory import TokenMemory
from kanon_sql.engines.notebook import LiveProgress, live_progress
from kanon_sql.errors import AuditError, InterruptedReleaseError, KanonError, PolicyError, SourceError, raise_alone
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy
from kanon_sql.model.secret import Secret, secret_of
from kanon_sql.solvers.budget import Moment, Progress

_AUDIT = "kanon audit: "

_FAILURES = 64
"""Errors of ours that are kept until DuckDB has told of them: connections may fail at the same time."""

_JSON = '{"exception_type":'
"""How the words of an error begin under ``errors_as_json``."""

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
    """

    def __init__(self, secret: str | bytes | None = None) -> None:
        self._secret: Secret | None = None if secret is None else secret_of(secret)
        self.allowed_files = AllowedFiles()
        self._progress: Progress | None = None
        self._live: LiveProgress | None = None
        self._stop = threading.Event()
        self._end = threading.Event()
        self._incumbent = False
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._releases: dict[int, Certificate] = {}
        self._makers: dict[int, int] = {}
        self._failures: deque[KanonError] = deque(maxlen=_FAILURES)
        self._binding = threading.local()
        self._touched = threading.local()
        self._connections: weakref.WeakSet[Any] = weakref.WeakSet()
        self._functions: list[Callable[..., Any]] = []
        self.gatherings = Gatherings()
        self.announcements = Announcements()
        self.tokens = TokenMemory()

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
                raise PolicyError("the database is open with another secret; hint: give the secret to its first connection")

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
        raise SourceError("the registered connection is closed; hint: kanon_sql.register the one that asks")

    def bound(self, policy: str, column: str) -> None:
        """Note a column of a query that is being bound under a policy; a statement is bound by one thread."""
        found: dict[str, list[str]] = self._binding.__dict__
        found.setdefault(policy, []).append(column)

    def columns(self, policy: str) -> list[str]:
        """Return the columns noted for a policy since they were last asked for, each once: an interrupt may leave some."""
        return list(dict.fromkeys(self._binding.__dict__.pop(policy, [])))

    @property
    def touched(self) -> int:
        """Return how often a function of a release was called by this thread, which binds a statement before it runs it."""
        return int(self._touched.__dict__.get("times", 0))

    def touch(self) -> None:
        """Note that a function of a release was called."""
        self._touched.times = self.touched + 1

    def watch(self, progress: Progress | None) -> None:
        """Let ``progress`` hear of the running releases; with None, a notebook shows where they stand."""
        self._progress = progress

    def interrupt(self) -> None:
        """Stop a solver that is at work, at its next step."""
        self._stop.set()

    def ready(self) -> None:
        """Forget an interrupt that came before the work began."""
        self._stop.clear()
        self._end.clear()
        self._incumbent = False
        self._live = live_progress() if self._progress is None else None

    def rest(self) -> None:
        """Note that no solver is at work any more: there is no search that could be ended."""
        self._incumbent = False
        if self._live is not None:
            self._live.close()

    def finish(self) -> bool:
        """Let a solver at work end its search with the best release it has; False if there is none yet."""
        if self._incumbent:
            self._end.set()
        return self._incumbent

    def ended(self) -> bool:
        """Return whether the search shall end."""
        return self._end.is_set()

    def report(self, moment: Moment) -> None:
        """Hear of a step of a solver; raises if it shall stop."""
        if self._stop.is_set():
            raise InterruptedReleaseError("the release was interrupted; nothing was released")
        self._incumbent = moment.cost is not None
        progress = self._live if self._progress is None else self._progress
        if progress is not None:
            try:
                progress(moment)
            except KanonError:  # its own words, such as that somebody has seen enough
                raise
            except Exception as error:
                kind = type(error).__name__
                told = (
                    f"the release was stopped: progress raised {kind}; nothing was released; hint: it is called with a Moment"
                )
                raise_alone(InterruptedReleaseError(told))

    @property
    def releases(self) -> list[Certificate]:
        """Return the certificates of all releases that passed the audit, oldest first."""
        with self._lock:
            return [certificate for certificate in self._releases.values() if certificate.audited]

    def maker(self, certificate: Certificate) -> int | None:
        """Return the connection that made a release, as DuckDB numbers connections: each runs one statement at a time."""
        with self._lock:
            return self._makers.get(certificate.number or 0)

    def record(self, certificate: Certificate, connection: int) -> int:
        """Keep the certificate of what a connection releases, and return its number."""
        repeatable = self.secret.repeatable
        with self._lock:
            number = next(self._numbers)
            self._releases[number] = replace(certificate, number=number, repeatable=repeatable)
            self._makers[number] = connection
            return number

    def forget(self, certificate: Certificate) -> None:
        """Let go of the certificate of a release that nobody gets."""
        self.announcements.drop(certificate.number or 0)
        with self._lock:
            self._releases.pop(certificate.number or 0, None)
            self.tokens.taken_back(certificate.number or 0)
            self._makers.pop(certificate.number or 0, None)

    def passed(self, number: int, classes: int, smallest_class: int, exposed: Mapping[str, Any] | None = None) -> None:
        """Note what the audit counted, and what the columns that are released unchanged reveal.

        Raises
        ------
        UnlistedColumnError
            When columns without a role reveal too much.
        """
        certificate, judged = self.release(number).passed(classes, smallest_class), True
        if exposed is not None:
            policy = Policy.from_json(certificate.policy)
            refuse_unlisted(exposed, policy)
            unchanged, warnings = unchanged_columns(exposed), warnings_of(exposed, policy)
            certificate, judged = replace(certificate, unchanged=unchanged, warnings=warnings), not policy.pseudonyms
        self.amend(certificate, announced=judged)  # tokens are judged after the audit

    def release(self, number: int) -> Certificate:
        """Return the certificate of a release, audited or not."""
        with self._lock:
            return self._releases[number]

    def amend(self, certificate: Certificate, *, announced: bool = True) -> None:
        """Keep what more is known of a release; announce it if nothing can refuse it any more.

        Raises
        ------
        AuditError
            When Python was told to treat warnings as errors.
        """
        if announced:
            self.announcements.add(certificate)
        with self._lock:
            self._releases[certificate.number or 0] = certificate

    def fail(self, error: KanonError) -> None:
        """Keep the error itself: DuckDB hands on only its text."""
        with self._lock:
            self._failures.append(error)

    def cause_of(self, message: str) -> KanonError | None:
        """Return the error of ours that a DuckDB error message tells of, if it does."""
        message = worded(message)
        with self._lock:
            failure = next((each for each in reversed(self._failures) if str(each) in message), None)
            if failure is not None:
                self._failures.remove(failure)
                return failure
        if _AUDIT in message:
            return AuditError(message[message.index(_AUDIT) + len(_AUDIT) :].split("\n")[0])
        return None


def worded(message: str) -> str:
    """Return an error message of DuckDB as it is by default: under ``errors_as_json``, its words are in a JSON object."""
    kind, found, _ = message.partition(_JSON)
    if not found:
        return message
    with suppress(ValueError):
        told, _ = json.JSONDecoder().raw_decode(message, len(kind))
        return f"{kind}{told.get('exception_message', '')}"
    return message
