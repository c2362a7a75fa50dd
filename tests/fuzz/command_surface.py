"""Releases on the command line: files and tables in, files and tables out, and `kanon verify` over both."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import duckdb
from click.testing import CliRunner

from fuzz import spelling
from fuzz.checker import Claim, Rules
from fuzz.domains import CANARY
from fuzz.draw import Trial
from fuzz.known_secret import SECRET
from fuzz.outcome import FoundError, Outcome, RefusedError
from fuzz.sql_surfaces import store
from fuzz.table import Table, quoted, read_pair, texts_of, types_of
from kanon_sql.cli import main

TEXT_FILES = ("csv", "tsv", "json", "jsonl", "csv.gz")
TYPED_FILES = ("parquet", "duckdb")


class Command:
    """``kanon anonymize`` in this process, now and then in one of its own.

    Parameters
    ----------
    folder : Path
        Where files are.
    texts : bool
        Whether files without types are written.
    """

    def __init__(self, folder: Path, *, texts: bool) -> None:
        self.folder, self.texts = folder, texts

    def close(self) -> None:
        """Nothing is kept."""

    def release(self, trial: Trial) -> Outcome:
        """Release a trial, as `Sql.release`."""
        if not spelling.command_can(trial.guarantee):
            raise RefusedError("NotSaid", "the options of the command cannot say it")
        draw = Random(f"{trial.seed} file")
        endings = [draw.choice(TEXT_FILES) if self.texts else draw.choice(TYPED_FILES) for _ in range(2)]
        if self.texts and draw.random() < 0.5:
            endings[1] = endings[0]
        folder = self.folder / "command"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        source, target = folder / f"in.{endings[0]}", folder / f"out.{endings[1]}"
        with duckdb.connect() as con:
            store(con, trial, "source")
            beside = _write(con, trial, source, folder)
            given, wanted = _argument(source), _argument(target)
            evidence = folder / "cert.json"
            words = [
                "anonymize",
                given,
                "-o",
                wanted,
                "--certificate",
                str(evidence),
                *spelling.options(trial.guarantee),
                *beside,
            ]
            text = _run(words, real=draw.random() < 0.01)
            left = sorted(path.name for path in folder.iterdir())
            if text is not None:
                if target.exists() or any(name.startswith(".kanon") for name in left):
                    raise FoundError(f"refused, but files are left: {left}")
                raise RefusedError("InfeasibleError" if "hint: nothing" in text or "no release" in text else "error", text)
            verified = None
            if draw.random() < 0.4 and trial.guarantee.time_limit is None:
                verified = _run(["verify", given, wanted, str(evidence), *beside], real=False)
            read = _read(con, trial, source, target)
        found = () if verified is None else (f"kanon verify refuses it: {verified}",)
        claim = _claim(json.loads(evidence.read_text(encoding="utf-8")))
        return Outcome(
            source=read[0],
            released=read[1],
            claim=claim if read[0].looks else None,
            rules=Rules(typed=False, keys=trial.keys),
            ordered=True,
            found=found,
        )


def _argument(path: Path) -> str:
    return f"{path}::t" if path.suffix == ".duckdb" else str(path)


def _run(words: list[str], *, real: bool) -> str | None:
    """Run a command; return the text of its error, None where it has done its work."""
    secret = {"KANON_SECRET": SECRET.decode()}
    if real:
        import os

        done = subprocess.run(
            [sys.executable, "-c", "from kanon_sql.cli import main; main()", *words],
            env=os.environ | secret,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        code, output, error = done.returncode, done.stdout + done.stderr, None
    else:
        result = CliRunner().invoke(main, words, env=secret, prog_name="kanon")
        code, output, error = result.exit_code, result.output, result.exception
    if error is not None and not isinstance(error, SystemExit):
        raise FoundError(f"{words[0]}: {type(error).__name__}: {error}") from error
    if code == 0:
        return None
    lines = [line for line in output.splitlines() if line.startswith("error: ")]
    if code == 2 and not lines:
        raise FoundError(f"{words[0]}: the arguments make no sense to it: {output[-300:]}")
    if CANARY in output:
        raise FoundError(f"{words[0]}: an error shows a cell: {output[-300:]}")
    if code != 1 or not lines or "Traceback" in output:
        raise FoundError(f"{words[0]}: exit code {code}: {output[-300:]}")
    return lines[0].removeprefix("error: ")


FORMATS = {
    "csv": "FORMAT csv, HEADER",
    "gz": "FORMAT csv, HEADER, COMPRESSION gzip",
    "tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
    "json": "FORMAT json, ARRAY true",
    "jsonl": "FORMAT json",
    "parquet": "FORMAT parquet",
}


def _write(con: duckdb.DuckDBPyConnection, trial: Trial, source: Path, folder: Path) -> list[str]:
    """Write the table of a trial, and its trees; return the options that name these."""
    if source.suffix == ".duckdb":
        con.execute(f"ATTACH '{source}' AS other")
        con.execute("CREATE TABLE other.t AS FROM source")
        con.execute("DETACH other")
    else:
        con.execute(f"COPY source TO '{source}' ({FORMATS[source.suffix[1:]]})")
    found = []
    for number, name in enumerate(trial.trees):
        path = folder / f"tree{number}.csv"
        con.execute(f"COPY {quoted(name)} TO '{path}' (FORMAT csv, HEADER)")
        found += ["--beside", f"{name}={path}"]
    return found


def _read(con: duckdb.DuckDBPyConnection, trial: Trial, source: Path, target: Path) -> tuple[Table, Table]:
    if source.suffix in (".parquet", ".duckdb"):
        relations = []
        for number, path in enumerate((source, target)):
            if path.suffix == ".duckdb":
                con.execute(f"ATTACH '{path}' AS d{number} (READ_ONLY)")
                relations.append(f"d{number}.t")
            else:
                relations.append(f"read_parquet('{path}')")
        return read_pair(con, relations[0], relations[1], trial.folds)
    sides = [_texts(con, path) for path in (source, target)]
    names = tuple(each.name for each in trial.columns)
    if not sides[0][1]:
        sides[0] = names, []
    if not sides[1][1]:  # JSON without rows has no columns
        sides[1] = tuple(name for name in names if name != trial.guarantee.per), []
    tables = [Table(own, ("VARCHAR",) * len(own), rows, rows) for own, rows in sides]
    return tables[0], tables[1]


def _texts(con: duckdb.DuckDBPyConnection, path: Path) -> tuple[tuple[str, ...], list[tuple[str | None, ...]]]:
    """The cells of a file without types."""
    if "json" in path.suffix:
        text = path.read_text(encoding="utf-8")
        rows = json.loads(text) if path.suffix == ".json" else [json.loads(line) for line in text.splitlines() if line]
        listed = tuple(rows[0]) if rows else ()
        return listed, [tuple(None if row[name] is None else str(row[name]) for name in listed) for row in rows]
    delimiter = "\t" if path.suffix == ".tsv" else ","
    relation = (
        f"read_csv('{path}', all_varchar := true, header := true, delim := '{delimiter}', quote := '\"', escape := '\"', "
        "comment := '', "
        "nullstr := '', allow_quoted_nulls := false, skip := 0, auto_detect := false, columns := {columns})"
    )
    if path.suffix != ".gz":
        with path.open(newline="", encoding="utf-8") as file:
            names = next(csv.reader(file, delimiter=delimiter))
        told = ", ".join(f"{spelling.text(name)}: 'VARCHAR'" for name in names)
        relation = relation.replace("{columns}", f"{{{told}}}")
    else:
        relation = relation.replace(", auto_detect := false, columns := {columns}", ", sample_size := -1, strict_mode := true")
        names = [name for name, _ in types_of(con, relation)]
    return tuple(names), texts_of(con, relation, names)


def _claim(data: dict[str, Any]) -> Claim:
    return Claim(
        cost=Fraction(data["cost"]),
        lower_bound=Fraction(data["lower_bound"]),
        optimal=data["status"] == "OPTIMAL",
        rows=data["rows"],
        classes=data["classes"],
        smallest_class=data["smallest_class"],
        unchanged=tuple(data["unchanged"]),
        warnings=tuple(data["warnings"]),
    )
