"""A suggested policy, accepted unread: stored in a database by the clause, or in a file for ``kanon anonymize``."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import CliRunner

import kanon_sql
from benchmarks.careless.in_python import released
from benchmarks.careless.in_sql import Sql, quoted
from benchmarks.careless.judge import Release
from benchmarks.careless.refusals import SECRET, refusals
from benchmarks.careless.request import Request
from benchmarks.careless.table import Table
from benchmarks.careless.walk import RefusedError
from kanon_sql.cli import main


class Stored(Sql):
    """``kanon_sql.suggest``, its statement run unchanged, and ``ANONYMIZE WITH POLICY``."""

    def prepare(self, table: Table, _random: np.random.Generator, request: Request) -> Request:
        """Suggest."""
        self.load(table)
        self._suggested = kanon_sql.suggest(table.arrow, table_as="people")
        by = tuple(each.column for each in self._suggested.roles if each.role == "quasi-identifier")
        sensitive = [each.column for each in self._suggested.roles if each.role == "sensitive"]
        return replace(request, by=by, sensitive=sensitive[0] if sensitive else None)

    def release(self, table: Table, request: Request) -> Release:
        """Store the policy and release by it, or raise `RefusedError`."""
        with refusals():
            self.con.execute(self._policy(request, ordered=False))
            rows = self.run("SELECT * FROM people ANONYMIZE WITH POLICY suggested")
        self.con.execute(self._policy(request, ordered=True))
        ordered = self.run("SELECT * FROM people ANONYMIZE WITH POLICY suggested")
        return replace(released(request, rows, self.seen(table, request), ordered), suggested=True)

    def _policy(self, request: Request, *, ordered: bool) -> str:
        """Return the statement; after a way out, the column has moved."""
        sql = _moved(self._suggested.sql, request).replace("CREATE ANONYMIZATION", "CREATE OR REPLACE ANONYMIZATION")
        order = " (row_order = 'source')" if ordered else ""
        return re.sub(r"\n\);\s*$", f";\n    USING greedy{order}\n);", sql)


def _moved(sql: str, request: Request) -> str:
    """Return a suggested statement in which dropped columns are identifiers, and people are counted."""
    gone = [*request.cut, *request.dropped]
    for name in gone:
        sql = _without(sql, name)
    for name in (*gone, request.per or ""):  # nothing is asked of what is not released
        sql = re.sub(rf' AND \w\("?{re.escape(name)}"?\) [<>]= [\d.]+', "", sql)
    if gone:
        sql = re.sub(
            r"(ON \S+ \(\n)", lambda found: f"{found[1]}    IDENTIFIER {', '.join(map(quoted, gone))};\n", sql, count=1
        )
        parts = re.findall(r"IDENTIFIER (.*?);", sql, re.DOTALL)
        if len(parts) > 1:  # each part once
            sql = re.sub(r"    IDENTIFIER .*?;[^\n]*\n", "", sql, flags=re.DOTALL)
            both = ", ".join(dict.fromkeys(each.strip() for part in parts for each in re.sub(r"--[^\n]*", "", part).split(",")))
            sql = re.sub(r"(ON \S+ \(\n)", lambda found: f"{found[1]}    IDENTIFIER {both};\n", sql, count=1)
    if request.per is not None and " PER " not in sql:
        sql = _without(sql, request.per)
        sql = re.sub(r"(GUARANTEE k >= \d+)", lambda found: f"{found[1]} PER {quoted(request.per or '')}", sql)
    return sql


def _without(sql: str, name: str) -> str:
    """Return the statement without the line of a column in BY or KEEP."""
    told = rf'(?:"{re.escape(name)}"|{re.escape(name)})'
    last = re.sub(rf"\n    (?:BY|KEEP) {told}(?: [^,;\n]*)?;[^\n]*", "", sql)
    if last != sql:
        return last
    first = re.sub(rf"\n    (BY|KEEP) {told}(?: [^,\n]*)?,[^\n]*\n +", r"\n    \1 ", sql)
    if first != sql:
        return first
    middle = re.sub(rf"\n       +{told}(?: [^,;\n]*)?,[^\n]*", "", sql)
    if middle != sql:
        return middle
    return re.sub(rf",([^\n]*)\n +{told}(?: [^,;\n]*)?;[^\n]*", r";\1", sql)


@dataclass
class Command:
    """``kanon anonymize`` of a file, with options, or by the policy file that ``kanon suggest`` writes.

    Attributes
    ----------
    folder : Path
        Where the files are.
    suggested : bool
        Whether the policy is a suggested one.
    """

    folder: Path
    suggested: bool = False

    def prepare(self, table: Table, random: np.random.Generator, request: Request) -> Request:
        """Write the file, and suggest."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self._ending = "csv" if random.random() < 0.4 else "parquet"
        _write(table.arrow, self.folder / f"people.{self._ending}")
        if not self.suggested:
            return request if random.random() < 0.5 else replace(request, sensitive=None)
        text = _run("suggest", self.folder / f"people.{self._ending}", "-o", self.folder / "policy.json")
        if text is not None:
            raise RuntimeError(f"kanon suggest: {text}")
        policy = self._policy()
        by = tuple(each["column"] for each in policy["quasi_identifiers"])
        sensitive = [each["sensitive"] for each in policy["requirements"] if "sensitive" in each]
        return replace(request, by=by, sensitive=sensitive[0] if sensitive else None)

    def release(self, table: Table, request: Request) -> Release:
        """Release a file, or raise `RefusedError`."""
        columns = [
            each.name for each in table.columns if self.suggested or each.name not in request.cut or each.name == request.per
        ]
        source = self.folder / f"people.{self._ending}"
        if len(columns) < len(table.columns):  # a careless user cuts the column out of the file
            source = self.folder / f"cut.{self._ending}"
            _write(table.arrow.select(columns), source)
        text, rows, told = self._released(source, request, "shuffled")
        if text is not None:
            found = re.match(r"(\w+Error): ", text)
            raise RefusedError(text, found[1] if found else "")
        _, ordered, _ = self._released(source, request, "source")
        assert rows is not None
        return replace(released(request, rows, columns, ordered), told=told, suggested=self.suggested)

    def _released(self, source: Path, request: Request, order: str) -> tuple[str | None, pa.Table | None, str]:
        target = self.folder / f"out.{self._ending}"
        options = self._by_policy(request, order) if self.suggested else self._options(request, order)
        outcome = CliRunner().invoke(
            main, ["anonymize", str(source), "-o", str(target), "--force", "-q", *options], env={"KANON_SECRET": SECRET}
        )
        text = _error(outcome)
        return text, None if text is not None else _read(target), outcome.output if text is None else ""

    def _options(self, request: Request, order: str) -> list[str]:
        options = ["--k", str(request.k), "--algorithm", "greedy", "--row-order", order]
        for each in request.by:
            options += ["--qi", each]
        if request.sensitive is not None:
            options += ["--sensitive", request.sensitive, "--l", "2"]
        if request.per is not None:
            options += ["--per", request.per]
        for each in request.dropped:
            if each != request.per:
                options += ["--drop", each]
        return options

    def _policy(self) -> dict[str, Any]:
        """Return the suggested policy."""
        policy: dict[str, Any] = json.loads((self.folder / "policy.json").read_text(encoding="utf-8"))["policies"][0]
        return policy

    def _by_policy(self, request: Request, order: str) -> list[str]:
        policy, gone = self._policy(), [*request.cut, *request.dropped]
        policy |= {"algorithm": "greedy", "row_order": order}
        policy["identifiers"] = [*policy["identifiers"], *(each for each in gone if each not in policy["identifiers"])]
        policy["kept"] = [each for each in policy["kept"] if each not in gone]
        policy["quasi_identifiers"] = [each for each in policy["quasi_identifiers"] if each["column"] in request.by]
        nothing = (*gone, request.per)
        policy["requirements"] = [each for each in policy["requirements"] if each.get("sensitive", "") not in nothing]
        if request.per is not None:
            people = {"k": request.k, "per": request.per, "type": "people"}
            others = [each for each in policy["requirements"] if each["type"] not in ("k", "people")]
            policy["requirements"] = [people, *others]
            policy["kept"] = [each for each in policy["kept"] if each != request.per]
        path = self.folder / "accepted.json"
        path.write_text(json.dumps({"policies": [policy]}), encoding="utf-8")
        return ["--policy", str(path)]


def _run(*words: object) -> str | None:
    """Run a command; return the text of its error."""
    return _error(CliRunner().invoke(main, [str(each) for each in words], env={"KANON_SECRET": SECRET}, prog_name="kanon"))


def _error(outcome: Any) -> str | None:
    if outcome.exception is not None and not isinstance(outcome.exception, SystemExit):
        raise outcome.exception
    if outcome.exit_code == 0:
        return None
    if "Traceback" in outcome.output or "No such option" in outcome.output:
        raise RuntimeError(outcome.output[-400:])
    told = re.search(r"(?:error|Error): (.*)", outcome.output, re.DOTALL)
    return " ".join((told[1] if told else outcome.output).split())


def _write(table: pa.Table, path: Path) -> None:
    if path.suffix == ".parquet":
        pq.write_table(table, path)
        return
    with duckdb.connect() as con:
        con.register("arrow", table)
        con.execute(f"COPY arrow TO '{path}' (FORMAT csv, HEADER)")


def _read(path: Path) -> pa.Table:
    if path.suffix == ".parquet":
        return pq.read_table(path)
    with duckdb.connect() as con:
        return con.execute(f"FROM read_csv('{path}', header = true)").to_arrow_table()
