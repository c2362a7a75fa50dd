"""All of a release in one folder: rows, certificate, report, and the texts that make the same release again."""

from __future__ import annotations

import json
import os
import shlex
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from kanon_sql.clause import clause_of, definition_of
from kanon_sql.engines.duckdb.files.places import Place
from kanon_sql.engines.duckdb.files.staging import write_text
from kanon_sql.engines.duckdb.files.tables import loading, stage
from kanon_sql.engines.duckdb.guarantees import audit_macros
from kanon_sql.engines.duckdb.names import literal
from kanon_sql.engines.duckdb.release.written_release import audit_written, tallies
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_file import written
from kanon_sql.model.validation import as_text, named_file, same_name
from kanon_sql.studio.new_folder import new_folder, verified

if TYPE_CHECKING:
    from kanon_sql.studio.draft import Draft
    from kanon_sql.studio.run import Run
    from kanon_sql.studio.source import Source

FORMATS = ("csv", "parquet", "duckdb")
"""What the rows can be written as."""

PURPOSES = {
    "certificate.json": "proves the guarantee",
    "report.html": "shows risk and loss to reviewers",
    "release.sql": "reproduces the release with kanon run",
    "release.sh": "reproduces the release on the command line",
    "release.py": "reproduces the release in Python",
    "policy.json": "the policy as a file",
    "policy.sql": "the policy as SQL, to store it in a database",
    "model.sql": "the release as a dbt model",
    "model.yml": "the tests of the dbt model",
    "verify.sh": "checks the rows against the source and the certificate",
}
"""What each file of the folder is for."""

_PYTHON = """import kanon_sql

con = kanon_sql.connect()
for statement in (
{statements}):
    con.execute(statement)
print(kanon_sql.releases(con)[-1])
"""


def texts_of(source: Source, run: Run, ending: str = "csv", folder: Path | None = None) -> dict[str, str]:
    """Return the texts that make the release again, by the names of their files.

    Parameters
    ----------
    ending : str
        One of `FORMATS`, for the rows.
    folder : Path, optional
        Where they will be: they name the source from there, so that both can be moved together.
    """
    draft, table = run.draft, released_as(source)
    place = source.place if folder is None else seen_from(source, folder)
    create = loading(source.place, into=source.name, named=place)
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
        command = ["kanon", "anonymize", str(place), "-o", _output(table, ending), "--policy", "policy.json"]
        found["release.sh"] = f"{shlex.join([*command, *_reading(place, draft)])}\n"
    found["verify.sh"] = f"{shlex.join(['kanon', 'verify', *verification(source, run, ending, folder)])}\n"
    return found


def verification(source: Source, run: Run, ending: str, folder: Path | None) -> list[str]:
    """Return the arguments of `kanon verify` for the files of a folder, and the source as it is named from there."""
    place = source.place if folder is None else seen_from(source, folder)
    rows = _output(released_as(source), ending)
    tokens = [part for name in run.draft.pseudonyms for part in ("--pseudonym", _listed(name))]
    return [str(place), rows, "certificate.json", *_reading(place, run.draft), *tokens]


def _listed(name: str) -> str:
    """Return a column as a list of one, as the command line reads it."""
    return '"{}"'.format(name.replace('"', '""')) if set(name) & set(',"') else name


def seen_from(source: Source, folder: Path) -> Place:
    """Return a source as it is named from a folder: a URL as it is, and a temporary copy as if it were next to the folder."""
    place = source.place
    if source.temporary:
        return replace(place, path=Path(os.pardir) / place.path.name)
    if place.pattern is not None:
        return place if "://" in place.pattern else replace(place, pattern=os.path.relpath(place.pattern, folder))
    return replace(place, path=Path(os.path.relpath(place.path, folder)))


def _reading(place: Place, draft: Draft) -> list[str]:
    """Return the options that say how the source is read, and which files the policy may name."""
    files = filter(None, map(named_file, draft.policy.tables))
    return place.dialect.options + [part for name in files for part in ("--allow-file", name)]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedOver:
    """A folder that was written."""

    folder: Path
    files: tuple[str, ...]  # the names of its files
    verified: dict[str, str]  # what `kanon verify` says of the rows and the certificate in it


def hand_over(source: Source, run: Run, folder: str, ending: str = "csv", *, files: Path | None = None) -> HandedOver:
    """Write everything about a release into a new folder: whole and verified, or not at all.

    Parameters
    ----------
    folder : str
        The folder, which does not exist or is empty.
    ending : str
        One of `FORMATS`, for the rows.
    files : Path, optional
        Where the files are that the policy names without a folder; copies of them are put into the new folder.

    Raises
    ------
    SourceError
        When the folder has something in it, or cannot be written.
    AuditError
        When the written rows do not keep the guarantee, or the certificate is not theirs.
    """
    certificate, table = run.release
    policy = Policy.from_json(certificate.policy)
    name = released_as(source)
    file, inner = f"{name}.{ending}", name if ending == "duckdb" else None
    with new_folder(folder) as (staged, target), closing(audit_macros(duckdb.connect())) as con:
        con.execute(f"SET temp_directory = {literal(str(staged.parent / 'spill'))}")
        con.register("kanon#rows", table)
        con.execute('CREATE TABLE released AS FROM "kanon#rows"')  # then a Parquet file has the bytes that SQL writes
        rows = stage(con, "FROM released", Place.of(str(target / file), inner), staging=staged.parent)
        audit_written(rows, policy, certificate.rows, tallies(con, policy))
        rows.path.chmod(0o600)
        rows.path.rename(staged / file)
        texts = texts_of(source, run, ending, target) | {"certificate.json": certificate.to_json()}
        texts["report.html"] = report_of(source, run)
        beside = {} if files is None else {each: files / each for each in _named_alone(policy) if (files / each).is_file()}
        texts |= {each: path.read_text(encoding="utf-8") for each, path in beside.items()}
        for each, text in texts.items():
            write_text(text, staged / each)
        here = None if source.temporary else staged  # a temporary copy is only named by its own path
        said = verified(verification(source, run, ending, here), staged)
    return HandedOver(folder=target, files=tuple(sorted([file, *texts])), verified=said)


def _named_alone(policy: Policy) -> list[str]:
    """Return the files that a policy names without a folder."""
    return [name for name in filter(None, map(named_file, policy.tables)) if Path(name).name == name]


def report_of(source: Source, run: Run) -> str:
    """Return the page of `kanon report` about a release."""
    from kanon_sql.report.release_report import report

    certificate, table = run.release
    return report(source.whole(run.draft), table, certificate=certificate)
