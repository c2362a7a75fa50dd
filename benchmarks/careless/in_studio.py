"""The studio: the draft that it proposes is solved as it is; then the user presses the buttons below each refusal."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import kanon_sql
from benchmarks.careless.in_python import released
from benchmarks.careless.judge import Release
from benchmarks.careless.refusals import SECRET, refusals
from benchmarks.careless.request import Request
from benchmarks.careless.table import Table
from kanon_sql.engines.duckdb.files.places import Place
from kanon_sql.studio.draft import IDENTIFIER, PERSON, QUASI_IDENTIFIER, Draft
from kanon_sql.studio.source import Source


class Studio:
    """A session with one file, without pages and without a process of its own for each search.

    Parameters
    ----------
    folder : Path
        Where the file is.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._source: Source | None = None

    def prepare(self, table: Table, _random: np.random.Generator, request: Request) -> Request:
        """Open the file, and take the draft as it is proposed."""
        if self._source is not None:
            self._source.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(parents=True)
        pq.write_table(table.arrow, self._folder / "people.parquet")
        self._source = source = Source(Place.of(str(self._folder / "people.parquet")))
        policy, dropped = source.first_policy
        self._first = Draft.of(source.spelled, source.columns, policy, dropped)
        by = tuple(each.column for each in policy.quasi_identifiers)
        sensitive = policy.sensitive
        per = None if policy.people is None else policy.people.per
        return replace(request, by=by, sensitive=sensitive[0] if sensitive else None, per=per)

    def release(self, table: Table, request: Request) -> Release:
        """Solve the draft, or raise `RefusedError`."""
        with refusals():
            draft = self._draft(request)
            rows = self._solved(draft)
        by = tuple(each.column for each in draft.policy.quasi_identifiers)
        ordered = self._solved(draft.with_policy(replace(draft.policy, row_order="source")))
        made = released(replace(request, by=by), rows, [each.name for each in table.columns], ordered)
        return replace(made, suggested=True)

    def _draft(self, request: Request) -> Draft:
        """Return the draft after the buttons that were pressed."""
        draft = self._first.with_policy(replace(self._first.policy, algorithm="greedy"))
        if request.per is not None and draft.role(request.per) != PERSON:
            draft = draft.with_role(request.per, PERSON)
        for name in (*request.cut, *request.dropped):
            if name != request.per and draft.role(name) != IDENTIFIER:
                draft = draft.with_role(name, IDENTIFIER)
        for name in request.by:
            if draft.role(name) != QUASI_IDENTIFIER:
                draft = draft.with_role(name, QUASI_IDENTIFIER)
        return draft

    def _solved(self, draft: Draft) -> pa.Table:
        source = self._source
        assert source is not None
        with kanon_sql.connect(secret=SECRET) as con:
            con.register(source.name, source.before(f"FROM {source.spelled}"))
            return con.sql(draft.statement).to_arrow_table()
