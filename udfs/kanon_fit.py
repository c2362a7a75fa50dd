"""`kanon_fit(run, row_types, singled, ...)`: the solver, called once a release when all row types are gathered."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_sql import pipeline
from kanon_sql.certificate import Certificate
from kanon_sql.certificate.exposure import refuse_unlisted
from kanon_sql.engines.built_arrays import numbers, texts
from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.gather.gathered_row_types import Gathering
from kanon_sql.engines.pieces import PiecesByNumber, PlainPieces
from kanon_sql.engines.solving import solve
from kanon_sql.engines.tokens import Tokens
from kanon_sql.solvers.budget import Budget

if TYPE_CHECKING:
    import pyarrow as pa


def fit(session: Session, run: pa.ChunkedArray, row_types: pa.ChunkedArray, singled: pa.ChunkedArray, *tables: Any) -> pa.Array:
    """Find the pieces of all row types, for `kanon_pieces`, and return the number of the release, or why there is none.

    Parameters
    ----------
    run : whole number
        See `kanon_begin`.
    row_types : whole number
        How many there are: it is known when the last has been gathered.
    singled : struct, optional
        The counts of ``singled.sql``.
    tables : lists of struct of text
        The tables of `Policy.tables`.

    Raises
    ------
    UnlistedColumnError
        When columns without a role single out too many rows; the search does not start.
    """
    session.search.ready()
    key = run[0].as_py()
    gathering = session.gatherings.of(key)
    gathering.require(row_types[0].as_py())
    if not gathering.row_types:
        session.gatherings.end(key)
        return _answer(session.record(pipeline.empty_certificate(gathering.policy), gathering.connection), None)
    gathering.touched = math.inf  # the solver may take its time
    try:
        if (told := singled[0].as_py()) is not None:
            refuse_unlisted(told, gathering.policy, gathering.surface)
        pieces, certificate = _found(session, gathering, tables)
    except BaseException:
        session.gatherings.end(key)
        raise
    finally:
        session.search.rest()
    gathering.found(pieces)
    certificate = replace(certificate, warnings=(*gathering.warnings, *certificate.warnings))
    return _answer(session.record(certificate, gathering.connection, gathering.surface), pieces.tokens)


def _answer(release: int | None, tokens: Tokens | None, refused: str | None = None) -> pa.Array:
    import pyarrow as pa

    number = numbers(np.array([release or 0], np.int64), np.array([release is None]))
    words = (tokens or Tokens(prefix="", memory=0)).listed()
    return pa.StructArray.from_arrays([number, texts([refused]), words], ["release", "refused", "words"])


def _found(session: Session, gathering: Gathering, tables: Sequence[Any]) -> tuple[PiecesByNumber, Certificate]:
    """Solve what was gathered, at once or by parts."""
    types, asked = gathering.whole(), gathering.policy
    budget = Budget.of(asked, session.search.report, session.search.ended, gathering.begun)
    if types is not None:
        return solve(types, asked, tuple(tables), session.secret, budget, gathering.memory)
    table, resolved = gathering.coded(budget.report)
    recoding, certificate = pipeline.run_by_parts(table, resolved, gathering.capacity, budget)
    return PlainPieces.of_recoding(table, recoding), certificate


def _refused(words: str) -> pa.Array:
    return _answer(None, None, words)


FUNCTION = Function(
    name="kanon_fit",
    returns="STRUCT(release BIGINT, refused VARCHAR, words STRUCT(token VARCHAR, word VARCHAR)[][])",
    call=fit,
    arrow=True,
    side_effects=True,
    refused=_refused,
)
