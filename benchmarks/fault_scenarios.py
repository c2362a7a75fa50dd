"""What the fault lab kills: statements and commands on one table of many rows."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

ROWS = 300_000
K = 5

_FUNCTION = "k_anonymize('p', 5, qi := ['zip', 'age'], keep := ['x', 'note', 'more'], algorithm := 'greedy')"
_CLAUSE = "SELECT * FROM p ANONYMIZE BY zip, age KEEP x, note, more GUARANTEE k >= 5 USING greedy"
_POLICY = "ANONYMIZATION POLICY p{} ON p (IDENTIFIER more; BY zip, age; KEEP x, note; GUARANTEE k >= 5)"

_SOURCE = f"""CREATE TABLE p AS SELECT
    lpad((hash(i) % 400)::VARCHAR, 5, '0') AS zip, (hash(i + 1) % 60)::INTEGER AS age, i AS x,
    'note ' || hash(i) AS note, repeat('m', 20) || (i % 977) AS more
    FROM range({ROWS}) AS t(i)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One kind of work, and what it may leave.

    Attributes
    ----------
    name : str
        What is killed.
    statements, command : sequence of str
        SQL on ``clinic.duckdb``, or the arguments of ``kanon``.
    targets : sequence of str
        Files that are whole, or not there.
    needs : sequence of str
        Inputs, copied into the folder before each trial.
    replaced : bool
        Whether the targets are there before: whole releases that the work replaces.
    empty : bool
        Whether the table ``released`` is there before, without rows.
    certificate : str, optional
        A file that is there only beside the first target.
    """

    name: str
    statements: Sequence[str] = ()
    command: Sequence[str] = ()
    targets: Sequence[str] = ()
    needs: Sequence[str] = ("clinic.duckdb",)
    replaced: bool = False
    empty: bool = False
    certificate: str | None = None
    leaves: set[str] = field(default_factory=set)

    def trial(self, folder: Path) -> dict[str, object]:
        """Return what the worker is told."""
        about = {"command": list(self.command)} if self.command else {"statements": list(self.statements)}
        return {"folder": str(folder), **about}

    def prepare(self, inputs: Path, folder: Path) -> None:
        """Fill an empty folder."""
        for name in self.needs:
            shutil.copy(inputs / name, folder / name)
        if self.empty:
            with duckdb.connect(str(folder / "clinic.duckdb")) as con:
                con.execute("CREATE TABLE released AS FROM p LIMIT 0")
        for name in self.targets if self.replaced else ():
            shutil.copy(inputs / f"old{Path(name).suffix}", folder / name)

    def allowed(self) -> set[str]:
        """Return the names that may be in the folder afterwards."""
        databases = {name for each in (*self.needs, *self.targets) if (name := each).endswith(".duckdb")}
        logs = {f"{name}.wal" for name in databases} | {f"{name}.tmp" for name in databases}
        proof = {self.certificate} if self.certificate else set()
        return {*self.needs, *self.targets, *logs, *proof, *self.leaves, "errors.txt"}


def _copy(name: str, query: str, target: str, options: str = "", **about: object) -> Scenario:
    return Scenario(name=name, statements=[f"COPY ({query}) TO '{target}'{options}"], targets=[target], **about)  # type: ignore[arg-type]


def _anonymize(source: str, target: str, *options: str, **about: object) -> Scenario:
    file = target.partition("::")[0]
    columns = ["--qi", "zip,age", "--keep", "x,note,more"]
    command = ["anonymize", source, "-o", target, *columns, "--k", str(K), "--algorithm", "greedy", "-q", *options]
    kind = Path(file).suffix[1:]
    name = f"kanon anonymize, {kind}" + (", --force" if "--force" in options else "")
    settings = {"name": name, "targets": [file], "needs": [source.partition("::")[0]]} | about
    return Scenario(command=command, **settings)  # type: ignore[arg-type]


SCENARIOS = (
    Scenario(name="CREATE TABLE AS, function", statements=[f"CREATE TABLE released AS FROM {_FUNCTION}"]),
    Scenario(name="CREATE TABLE AS, clause", statements=[f"CREATE TABLE released AS {_CLAUSE}"]),
    Scenario(name="INSERT", statements=[f"INSERT INTO released FROM {_FUNCTION}"], empty=True),
    _copy("COPY, function, csv", f"FROM {_FUNCTION}", "out.csv"),
    _copy("COPY, clause, csv", _CLAUSE, "out.csv"),
    _copy("COPY, clause, csv, replaced", _CLAUSE, "out.csv", replaced=True),
    _copy("COPY, function, parquet", f"FROM {_FUNCTION}", "out.parquet"),
    _copy("COPY, clause, json", _CLAUSE, "out.json"),
    _copy(
        "COPY, clause, partitioned", f"SELECT *, x % 8 AS part FROM ({_CLAUSE})", "out", " (FORMAT csv, PARTITION_BY (part))"
    ),
    Scenario(
        name="policies",
        statements=[
            statement.format(number % 7)
            for number in range(140)
            for statement in (f"CREATE OR REPLACE {_POLICY}", "DROP ANONYMIZATION POLICY p{}")[: 1 + (number % 3 == 0)]
        ],
    ),
    _anonymize("in.csv", "out.csv", "--certificate", "cert.json", certificate="cert.json"),
    _anonymize("in.csv", "out.csv", "--force", replaced=True),
    _anonymize("in.parquet", "out.parquet"),
    _anonymize("in.parquet", "out.json"),
    _anonymize("in.parquet", "out.duckdb::released", "--certificate", "cert.json", certificate="cert.json"),
    _anonymize(
        "in.parquet",
        "clinic.duckdb::released",
        name="kanon anonymize, table",
        targets=[],
        needs=["in.parquet", "clinic.duckdb"],
    ),
    Scenario(
        name="kanon run",
        command=["run", "script.sql", "--db", "clinic.duckdb"],
        targets=["out.csv"],
        needs=["clinic.duckdb", "script.sql"],
    ),
    Scenario(
        name="kanon report",
        command=["report", "in.parquet", "old.parquet", "-o", "page.html", "--qi", "zip,age", "--k", str(K), "-q"],
        targets=["page.html"],
        needs=["in.parquet", "old.parquet"],
    ),
)


def inputs(folder: Path) -> None:
    """Write the source, and old releases of it, in every format."""
    with duckdb.connect(str(folder / "clinic.duckdb")) as con:
        con.execute(_SOURCE)
        for name in ("in.csv", "in.parquet"):
            con.execute(f"COPY p TO '{folder / name}'")
        for ending in ("csv", "parquet", "json"):
            con.execute(
                "COPY (SELECT NULL::VARCHAR AS zip, NULL::INTEGER AS age, * EXCLUDE (zip, age) FROM p) "
                f"TO '{folder}/old.{ending}'"
            )
    (folder / "script.sql").write_text(
        f"CREATE TABLE released AS {_CLAUSE};\nCOPY (FROM {_FUNCTION}) TO 'out.csv';\n", encoding="utf-8"
    )
