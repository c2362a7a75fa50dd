"""Releases that the studio made or is making: of rows, and of several tables of a database."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from kanon_sql.certificate import Certificate
from kanon_sql.certificate.history_certificate import Stated, stated
from kanon_sql.engines.duckdb.database.plan import PlannedRelease
from kanon_sql.engines.duckdb.database.whole_database import DatabaseRelease
from kanon_sql.errors import SourceError
from kanon_sql.model.policy_file import written
from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.model.validation import named_file
from kanon_sql.studio.search import Point, Search
from kanon_sql.studio.worker import make_releases

if TYPE_CHECKING:
    import pyarrow as pa

    from kanon_sql.studio.draft import Draft


_FILE = "policies.json"
"""What the command calls policies that are in no file yet."""


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

    Attributes
    ----------
    in_order : pyarrow.Table or None
        The released rows in the order of the source, once they were requested.
    """

    def __init__(self, number: int, name: str, draft: Draft) -> None:
        *earlier, statement = draft.statements
        super().__init__(statement, earlier)
        self.number, self.name, self.draft = number, name, draft
        self.started = time.monotonic()
        self.in_order: pa.Table | None = None

    @property
    def plain(self) -> bool:
        """Return whether the cost counts suppressed cells: nothing is recoded, and all columns weigh the same."""
        return all(each.weight == 1 and each.recoding is None for each in self.draft.policy.quasi_identifiers)

    @cached_property
    def release(self) -> tuple[Certificate, pa.Table]:
        """Return the certificate and the rows.

        Raises
        ------
        SourceError
            When there is no release.
        """
        if self.proof is None or self.rows is None:
            raise SourceError(f"{self.name} has no release; hint: choose a run with a release")
        return Certificate.from_json(self.proof), self.rows


class DatabaseRun(Search):
    """All releases of a database, or none.

    Parameters
    ----------
    source : str
        The database.
    into : str
        The new database, or the new folder.
    policies : str or sequence of StoredPolicy
        A file of policies, or the policies; an empty text takes those that are stored in the database.
    kind : str
        The format of the new database.

    Attributes
    ----------
    plan : list of PlannedRelease
        The releases in their order.
    policies : str or None
        The text of `_FILE` with the policies, if they are in no file yet.
    certificates : dict of Certificate or HistoryCertificate
        By the names of the releases, if they were made.

    Raises
    ------
    SourceError, PolicyError
        When there is no such database, the new one exists, or a policy is wrong.
    """

    def __init__(self, source: str, into: str, policies: str | Sequence[StoredPolicy], kind: str) -> None:
        given: str | list[StoredPolicy] | None
        given = (os.path.expanduser(policies.strip()) or None) if isinstance(policies, str) else list(policies)
        job = DatabaseRelease.of(source.strip(), into.strip(), policies=given, format=kind)
        self.plan: list[PlannedRelease] = job.plan
        tables = [name for each in job.plan for name in each.policy.policy.tables]
        self._files = [name for name in dict.fromkeys(map(named_file, tables)) if name is not None]
        self._arguments = (str(job.source), str(job.into), given, kind)
        self.policies = written(given, ".json") if isinstance(given, list) else None
        named = _FILE if isinstance(given, list) else given
        command = ["kanon", "release", self._arguments[0], "-o", self._arguments[1]]
        command += [] if named is None else ["--policies", named]
        command += [] if kind == "duckdb" else ["--format", kind]
        for name in self._files:
            command += ["--allow-file", name]
        super().__init__(shlex.join(command))
        self.into = self._arguments[1]
        self.certificates: dict[str, Stated] = {}

    def start_all(self, ended: Callable[[], None] = lambda: None) -> None:
        """Start the process; ``ended`` is called in another thread when it has ended."""
        self._begin(make_releases, (*self._arguments, self._files), ended)

    def _keep(self, certificates: dict[str, str]) -> None:  # type: ignore[override]
        self.certificates = {name: stated(text) for name, text in certificates.items()}

    def _hear(self, point: Point) -> None:
        """Take the last point only: each table has costs of its own."""
        self.points = [point]
