"""Releases in SQL: the table functions, the clause and stored policies, in every place where a query may stand."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import duckdb

import kanon_sql
from fuzz import spelling
from fuzz.averages import typed
from fuzz.checker import Rules
from fuzz.domains import PLAIN
from fuzz.draw import Trial
from fuzz.guarantee import Guarantee
from fuzz.known_secret import SECRET
from fuzz.outcome import Outcome, RefusedError, claim_of, refused
from fuzz.table import quoted, read_pair
from fuzz.tokens import pseudonym_of, with_tokens, wrong_histories

PLACES = ("create", "create", "insert", "view", "prepared", "cte", "subquery", "arrow", "arrow", "copy")
TABLES = ("t", '"odd name"', 'main."Select"', '"t""t"')
LASTS = 40
"""Trials of one connection: a new one is dear, and an old one may hide what the first release of a connection does."""


class Sql:
    """Connections of one kind, used by several trials each.

    Parameters
    ----------
    kind : str
        ``'functions'``, ``'clause'`` or ``'policies'``.
    folder : Path
        For files that are copied to.
    """

    def __init__(self, kind: str, folder: Path) -> None:
        self.kind, self.folder = kind, folder
        self.con: Any = None
        self.foreign = False
        self.left = 0

    def close(self) -> None:
        """Close the connection."""
        if self.con is not None:
            self.con.close()
        self.con, self.left = None, 0

    def _connection(self, trial: Trial) -> Any:
        if not self.left:
            draw = Random(f"{trial.seed} connection")
            self.close()
            self.foreign = self.kind == "functions" and draw.random() < 0.4
            self.con = kanon_sql.register(duckdb.connect(), secret=SECRET) if self.foreign else kanon_sql.connect(secret=SECRET)
            self.con.execute("SET enable_progress_bar = false")
            self.left = LASTS
        self.left -= 1
        return self.con

    def release(self, trial: Trial) -> Outcome:
        """Release a trial.

        Raises
        ------
        RefusedError
            When it is refused.
        FoundError
            When it fails in another way.
        """
        draw = Random(f"{trial.seed} place")
        con = self._connection(trial)
        set_up = settings_of(con, trial)
        name = draw.choice(TABLES)
        place = draw.choice(PLACES)
        if place == "arrow" and any(not each.domain.arrow for each in trial.columns):
            place = "create"
        if place == "copy" and (
            any(each.domain not in PLAIN for each in trial.columns if each.domain.values) or "enable_external_access" in set_up
        ):
            place = "create"
        try:
            store(con, trial, name)
            query = self._query(trial, name, draw)
            try:
                released = self._run(query, place, trial, name)
            except Exception as error:  # every kind of it is judged
                raise refused(error, foreign=self.foreign or place == "arrow") from None  # a relation raises DuckDB's own
            return self._read(trial, name, released, place)
        finally:
            self._reset(set_up)

    def _stored(self, guarantee: Guarantee) -> bool:
        """Whether the trial is released under a stored policy."""
        return self.kind == "policies" and spelling.clause_can(guarantee)

    def _pseudonym(self, trial: Trial) -> str | None:
        """The column of the trial that becomes tokens."""
        return pseudonym_of(trial) if self._stored(trial.guarantee) else None

    def _query(self, trial: Trial, name: str, draw: Random) -> str:
        guarantee = trial.guarantee
        if self.kind == "clause" and spelling.clause_can(guarantee):
            return f"SELECT * FROM {name} {spelling.clause(guarantee)}"
        if self._stored(guarantee):
            roles = {*guarantee.qi, *guarantee.sensitive}
            others = [each.name for each in trial.columns if each.name not in roles]
            parts = spelling.policy_parts(guarantee, others, self._pseudonym(trial))
            policy = f'CREATE OR REPLACE ANONYMIZATION POLICY "odd policy" ON {name} ({parts})'
            try:
                self.con.execute(policy)
            except Exception as error:
                raise refused(error) from None
            if draw.random() < 0.7:
                return f'SELECT * FROM {name} ANONYMIZE WITH POLICY "odd policy"'
            return f"""SELECT * FROM anonymize({spelling.text(name)}, 'odd policy')"""
        call = spelling.function_call(guarantee, name) if draw.random() < 0.7 else None
        return f"SELECT * FROM {call or f'anonymize({spelling.text(name)}, {spelling.text(spelling.as_json(guarantee))})'}"

    def _run(self, query: str, place: str, trial: Trial, name: str) -> str:
        """Run the release at a place; return the relation that holds it."""
        con = self.con
        con.execute("DROP VIEW IF EXISTS seen; DROP TABLE IF EXISTS released")
        match place:
            case "insert" | "prepared":
                con.execute(f"CREATE TABLE released AS SELECT * FROM {name} LIMIT 0")
                token = self._pseudonym(trial)
                for column in [*texts_of(trial), *([token] if token else [])]:
                    con.execute(f"ALTER TABLE released ALTER {quoted(column)} TYPE VARCHAR")
                for column in trial.guarantee.recodings:  # a whole number would be rounded
                    if typed(trial.guarantee, column, "") == "DOUBLE":
                        con.execute(f"ALTER TABLE released ALTER {quoted(column)} TYPE DOUBLE")
                if trial.guarantee.per is not None:
                    con.execute(f"ALTER TABLE released DROP COLUMN {quoted(trial.guarantee.per)}")
                if place == "insert":
                    con.execute(f"INSERT INTO released {query}")
                else:
                    con.execute(f"PREPARE again AS INSERT INTO released {query}")
                    con.execute("EXECUTE again")
            case "view":
                con.execute(f"CREATE OR REPLACE VIEW seen AS {query}")
                con.execute("CREATE TABLE released AS FROM seen")
            case "cte":
                con.execute(f"CREATE TABLE released AS WITH x AS ({query}) SELECT * FROM x")
            case "subquery":
                con.execute(f"CREATE TABLE released AS SELECT * FROM ({query}) AS x")
            case "arrow":
                arrow = con.sql(query).to_arrow_table()
                con.register("handed", arrow)
                con.execute("CREATE TABLE released AS FROM handed")
                con.unregister("handed")
            case "copy":
                path = self.folder / "copied.parquet"
                con.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
                con.execute(f"CREATE TABLE released AS FROM read_parquet('{path}')")
            case _:
                con.execute(f"CREATE TABLE released AS {query}")
        return "released"

    def _read(self, trial: Trial, name: str, released: str, place: str) -> Outcome:
        source, table = read_pair(self.con, name, released, trial.folds)
        found: tuple[str, ...] = ()
        certificates = kanon_sql.releases(self.con)
        claim = claim_of(certificates[-1]) if source.looks and certificates else None
        if self._stored(trial.guarantee):
            source = with_tokens(source, self._pseudonym(trial))
            claim = claim and replace(claim, warnings=None)
            if claim is not None and (token := self._pseudonym(trial)) is not None:
                found = wrong_histories(certificates[-1], table, token, trial.guarantee.qi)
        typed = place not in ("arrow", "copy", "insert", "prepared")
        return Outcome(
            source=source,
            released=table,
            claim=claim,
            rules=Rules(typed=typed, keys=trial.keys),
            ordered=place == "arrow" and "preserve_insertion_order" not in str(trial.settings),
            found=found,
        )

    def _reset(self, set_up: list[str]) -> None:
        try:
            for each in set_up:
                self.con.execute(f"RESET {each}")
            if "enable_external_access" in set_up:
                self.close()
        except duckdb.Error:
            self.close()


def texts_of(trial: Trial) -> list[str]:
    """The columns that are texts in the release."""
    kinds = {each.name: each.domain.kind for each in trial.columns}
    guarantee = trial.guarantee
    return [
        name
        for name in guarantee.qi
        if guarantee.suppress is not None
        or (name in guarantee.recodings and typed(guarantee, name, kinds[name]) is None)
        or kinds[name].startswith("ENUM")
    ]


def settings_of(con: Any, trial: Trial) -> list[str]:
    """Set a connection as the trial asks, as far as this DuckDB knows the settings; return the names of those that are set."""
    done = []
    for each in trial.settings:
        with suppress(duckdb.Error):
            con.execute(f"SET {each}")
            done.append(each.partition(" ")[0])
    return done


def store(con: Any, trial: Trial, name: str) -> None:
    """Make the table of a trial, and the trees that its policy names."""
    columns = ", ".join(f"{quoted(each.name)} {each.domain.type}" for each in trial.columns)
    con.execute(f"CREATE OR REPLACE TABLE {name} ({columns})")
    if trial.rows:
        kinds = [each.domain.kind for each in trial.columns]
        rows = (", ".join(f"CAST({cell} AS {kind})" for cell, kind in zip(row, kinds, strict=True)) for row in trial.rows)
        con.execute(f"INSERT INTO {name} VALUES {', '.join(f'({row})' for row in rows)}")
    for table, nodes in trial.trees.items():
        con.execute(f"CREATE OR REPLACE TABLE {quoted(table)} ({', '.join(f'level{n} VARCHAR' for n in range(len(nodes[0])))})")
        rows = ", ".join(f"({', '.join(map(spelling.text, node))})" for node in nodes)
        con.execute(f"INSERT INTO {quoted(table)} VALUES {rows}")


__all__ = ["RefusedError", "Sql", "settings_of", "store"]
