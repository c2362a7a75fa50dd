"""All of a release in one folder: rows, certificate, report, and the texts that make the same release again."""

from __future__ import annotations

import json
import os
import shlex
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from kanon_sql.clause import clause_of, definition_of
from kanon_sql.engines.duckdb.files.places import Place
from kanon_sql.engines.duckdb.files.staging import put, staging_directory, write_text
from kanon_sql.engines.duckdb.files.tables import loading, stage
from kanon_sql.engines.duckdb.guarantees import audit_macros
from kanon_sql.engines.duckdb.names import literal
from kanon_sql.engines.duckdb.release.written_release import audit_written, tallies
from kanon_sql.errors import SourceError
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_file import written
from kanon_sql.model.validation import as_text, named_file, same_name

if TYPE_CHECKING:
    from kanon_sql.studio.draft import Draft
    from kanon_sql.studio.run import Run
    from kanon_sql.studio.source import Source

FORMATS = ("csv", "parquet", "duckdb")
"""What the rows can be written as."""

_PYTHON = """import kanon_sql

con = kanon_sql.connect()
for statement in (
{statements}):
    con.execute(statement)
print(kanon_sql.releases(con)[-1])
"""


def texts_of(source: Source, run: Run, ending: str = "csv") -> dict[str, str]:
    """Return the texts that make the release again, by the names of their files.

    Parameters
    ----------
    ending : str
        One of `FORMATS`, for the rows.
    """
    draft, table = run.draft, released_as(source)
    create = loading(source.place, into=source.name)
    found: dict[str, str] = {}
    if create is not None:
        *earlier, statement = draft.statements
        steps = [create, *(f"{each};" for each in earlier), f"CREATE TABLE {table} AS\n{statement};", _saved(table, ending)]
        early = ["-- The search was ended early: this statement may find a better release."] if run.finished else []
        found["release.sql"] = "\n\n".join([*early, *steps, ""])
        found["release.py"] = _PYTHON.format(statements="".join(f"    {each!r},\n" for each in steps))
    if draft.dropped is not None and not draft.pseudonyms:  # dbt has no stored policies
        reference = f"{{{{ ref({as_text(source.name)}) }}}}"
        query = draft.query.removesuffix(source.spelled) + reference
        found["model.sql"] = f"{{{{ config(materialized='anonymized') }}}}\n\n{query}\n{clause_of(draft.policy)}\n"
        found["model.yml"] = _tests(draft)
    if draft.dropped is not None:
        stored = draft.stored
        found["policy.json"] = written([stored], ".json")
        found["policy.sql"] = f"{definition_of(stored)};\n"
        command = ["kanon", "anonymize", str(source.place), "-o", _output(table, ending), "--policy", "policy.json"]
        command += source.place.dialect.options
        for name in filter(None, map(named_file, draft.policy.tables)):
            command += ["--allow-file", name]
        found["release.sh"] = f"{shlex.join(command)}\n"
    return found


def released_as(source: Source) -> str:
    """Return what the released table and its file are called: never as the source, whose place they would take."""
    taken = {same_name(source.name), same_name(source.place.path.name.removesuffix(source.place.ending))}
    return next(name for name in ("released", "released_again", "released_anew") if name not in taken)


def _output(table: str, ending: str) -> str:
    """Return the file of the released rows as the command names it: in a database, with its table."""
    return f"{table}.{ending}" + (f"::{table}" if ending == "duckdb" else "")


def _saved(table: str, ending: str) -> str:
    """Return the statements that write the released rows to their file."""
    if ending != "duckdb":
        return f"COPY {table} TO '{table}.{ending}';"
    attach = f"ATTACH '{table}.{ending}' AS kanon_output"
    return f"{attach};\nCREATE TABLE kanon_output.{table} AS FROM {table};\nDETACH kanon_output;"


def _tests(draft: Draft) -> str:
    """Return the tests of a dbt model; JSON is YAML, whatever the names of columns are."""
    names = [each.column for each in draft.policy.quasi_identifiers]
    tests = [{"kanon_sql.k_anonymous": {"arguments": {"quasi_identifiers": names, "k": draft.policy.least_class_size}}}]
    return json.dumps({"models": [{"name": "model", "data_tests": tests}]}, indent=2, ensure_ascii=False) + "\n"


def hand_over(source: Source, run: Run, folder: str, ending: str = "csv") -> list[str]:
    """Write everything about a release into a new folder: whole, or not at all.

    Parameters
    ----------
    folder : str
        The folder, which does not exist or is empty.
    ending : str
        One of `FORMATS`, for the rows.

    Returns
    -------
    list of str
        The names of the files.

    Raises
    ------
    SourceError
        When the folder has something in it, or cannot be written.
    AuditError
        When the written rows do not keep the guarantee.
    """
    certificate, table = run.release
    target = Path(os.path.realpath(Path(folder).expanduser()))
    if not target.parent.is_dir():
        raise SourceError(f"there is no folder {target.parent}")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise SourceError(f"{target} exists; hint: choose a new folder")
    policy = Policy.from_json(certificate.policy)
    with staging_directory(target.parent) as private, closing(audit_macros(duckdb.connect())) as con:
        staged = private / target.name
        staged.mkdir(mode=0o700)
        con.execute(f"SET temp_directory = {literal(str(private / 'spill'))}")
        con.register("kanon#rows", table)
        con.execute('CREATE TABLE released AS FROM "kanon#rows"')  # then a Parquet file has the bytes that SQL writes
        name = released_as(source)
        file, inner = f"{name}.{ending}", name if ending == "duckdb" else None
        rows = stage(con, "FROM released", Place.of(str(target / file), inner), staging=private)
        audit_written(rows, policy, certificate.rows, tallies(con, policy))
        rows.path.chmod(0o600)
        rows.path.rename(staged / file)
        texts = texts_of(source, run, ending) | {"certificate.json": certificate.to_json()}
        texts["report.html"] = report_of(source, run)
        for name, text in texts.items():
            write_text(text, staged / name)
        put(staged, target, replace=False)
    return sorted([file, *texts])


def report_of(source: Source, run: Run) -> str:
    """Return the page of `kanon report` about a release."""
    from kanon_sql.report.release_report import report

    certificate, table = run.release
    return report(source.whole(run.draft), table, certificate=certificate)
