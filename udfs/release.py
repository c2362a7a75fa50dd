"""The release of rows, from the first row type to the audit in SQL.

- `kanon_begin(policy, memory_limit, temp_directory, connection, warnings, surface)`: the number of a new gathering.
- `kanon_gather(run, row_type)`: the number of a row type; the solver has seen it then.
- `kanon_fit(run, row_types, singled, ...)`: the solver, called once a release when all row types are gathered.
- `kanon_pieces(run, number)`: the pieces that a row type is released in, once `kanon_fit` has found them.
- `kanon_audited(release, classes, smallest, people, exposed, known)`: the rows passed the audit in SQL; NULL, or a refusal.
"""

from __future__ import annotations

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
from kanon_sql.engines.duckdb.gather.gathered_row_types import RowTypeGathering
from kanon_sql.engines.pieces import PiecesByNumber, PlainPieces
from kanon_sql.engines.solving import solve
from kanon_sql.engines.tokens import Tokens
from kanon_sql.model.policy import Policy
from kanon_sql.model.surfaces import Surface
from kanon_sql.solvers.budget import Budget

if TYPE_CHECKING:
    import pyarrow as pa


def begin(
    session: Session,
    policy: str,
    memory: str,
    folder: str | None,
    connection: int,
    warnings: list[str] | None,
    surface: Surface,
) -> int:
    """Return the number under which the row types of this run of a statement are gathered; ``warnings`` are about the unit."""
    gathering = RowTypeGathering(
        Policy.from_json(policy), memory, folder, connection, warnings or (), surface, begun=session.search.begun()
    )
    return session.gatherings.begin(gathering)


def gather(session: Session, run: pa.ChunkedArray, row_types: pa.ChunkedArray) -> pa.Array:
    """Return the number of each row type, from 0 in the order of their arrival.

    Parameters
    ----------
    run : whole numbers
        All the same, see `begin`.
    row_types : structs
        See `coded`.
    """
    return numbers(session.gatherings.of(run[0].as_py()).add(row_types.combine_chunks()))


def fit(session: Session, run: pa.ChunkedArray, row_types: pa.ChunkedArray, singled: pa.ChunkedArray, *tables: Any) -> pa.Array:
    """Find the pieces of all row types, for `pieces`, and return the number of the release, or why there is none.

    Parameters
    ----------
    run : whole number
        See `begin`.
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
    key = run[0].as_py()
    with session.gatherings.solving(key, row_types[0].as_py(), session.search) as gathering:
        if not gathering.row_types:
            session.gatherings.end(key)
            return _answer(session.record(pipeline.empty_certificate(gathering.policy), gathering.connection), None)
        if (singled_out := singled[0].as_py()) is not None:
            refuse_unlisted(singled_out, gathering.policy, gathering.surface)
        found, certificate = _found(session, gathering, tables)
    gathering.found(found)
    certificate = replace(certificate, warnings=(*gathering.warnings, *certificate.warnings))
    return _answer(session.record(certificate, gathering.connection, gathering.surface), found.tokens)


def _answer(release: int | None, tokens: Tokens | None, refused: str | None = None) -> pa.Array:
    import pyarrow as pa

    number = numbers(np.array([release or 0], np.int64), np.array([release is None]))
    words = (tokens or Tokens(prefix="", memory=0)).listed()
    return pa.StructArray.from_arrays([number, texts([refused]), words], ["release", "refused", "words"])


def _found(session: Session, gathering: RowTypeGathering, tables: Sequence[Any]) -> tuple[PiecesByNumber, Certificate]:
    """Solve what was gathered, at once or by parts."""
    types, policy = gathering.whole(), gathering.policy
    budget = Budget.of(policy, session.search.report, session.search.ended, gathering.begun)
    if types is not None:
        return solve(types, policy, tuple(tables), session.secret, budget, gathering.memory)
    table, resolved = gathering.coded(budget.report)
    recoding, certificate = pipeline.run_by_parts(table, resolved, gathering.capacity, budget)
    return PlainPieces.of_recoding(table, recoding), certificate


def pieces(session: Session, run: pa.ChunkedArray, number: pa.ChunkedArray) -> pa.Array:
    """Return for each row type a list of ``(piece, after, upto, hidden, labels)``.

    The rows numbered above ``after`` up to ``upto`` hide the columns ``hidden``, and show ``labels`` in those of
    `Policy.generalized`.

    Parameters
    ----------
    run, number : whole numbers
        See `begin` and `gather`.
    """
    key = run[0].as_py()
    found, last = session.gatherings.of(key).handed(np.from_dlpack(number.combine_chunks()))
    if last:
        session.gatherings.end(key)
    return found


def audited(
    session: Session,
    release: int,
    classes: int,
    smallest: int,
    people: int | None,
    exposed: dict[str, Any] | None,
    known: list[list[int | None]] | None,
) -> str | None:
    """Note the counts of the audit, and of the columns released unchanged, on the certificate of the release."""
    session.passed(release, classes, smallest, people, exposed, known)
    return None


FUNCTIONS = (
    Function(name="kanon_begin", returns="BIGINT", call=begin, side_effects=True),
    Function(name="kanon_gather", returns="BIGINT", call=gather, arrow=True, side_effects=True),
    Function(
        name="kanon_fit",
        returns="STRUCT(release BIGINT, refused VARCHAR, words STRUCT(token VARCHAR, word VARCHAR)[][])",
        call=fit,
        arrow=True,
        side_effects=True,
        refused=lambda words: _answer(None, None, words),
    ),
    Function(
        name="kanon_pieces",
        returns="STRUCT(piece INTEGER, after BIGINT, upto BIGINT, hidden VARCHAR[], labels VARCHAR[])[]",
        call=pieces,
        arrow=True,
        side_effects=True,
    ),
    Function(name="kanon_audited", returns="VARCHAR", call=audited, side_effects=True, refused=lambda words: words),
)
