"""Sources that give other rows whenever they are read: a release of one is a coherent reading, or it is refused."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import kanon_sql
from fuzz.known_secret import SECRET
from fuzz.outcome import FoundError, RefusedError, claim_of, reason, refused
from fuzz.trials import Verdict

ROWS = 24

VIEWS = (
    # every row each time, with other quasi-identifiers
    "SELECT i AS id, CAST(floor(random() * 3) AS INTEGER) AS zip, i % 2 AS age FROM range({n}) AS t(i)",
    # each of the first readings shifts them by one
    "SELECT i AS id, (i + nextval('ticks') // {n}) % 3 AS zip, i % 2 AS age FROM range({n}) AS t(i)",
    # rows come and go
    "SELECT i AS id, i % 3 AS zip, i % 2 AS age FROM range({n}) AS t(i) WHERE random() < 0.8",
    # as many rows each time, but others
    "SELECT i AS id, i % 3 AS zip, i % 2 AS age FROM range(2 * {n}) AS t(i) ORDER BY random() LIMIT {n}",
    # the same classes, the ids dealt anew
    "SELECT row_number() OVER (ORDER BY r) - 1 AS id, i % 3 AS zip, i % 2 AS age "
    "FROM (SELECT i, random() AS r FROM range({n}) AS t(i))",
    # only the columns outside the guarantee move
    "SELECT CAST(floor(random() * {n}) AS INTEGER) AS id, i % 3 AS zip, i % 2 AS age FROM range({n}) AS t(i)",
    # a file that somebody else writes meanwhile
    "SELECT id, zip, age FROM read_csv('{file}', header := false, "
    "columns := {{'id': 'INTEGER', 'zip': 'INTEGER', 'age': 'INTEGER'}}) "
    "WHERE stir(id) >= 0",
    # as many rows of each kind in every reading, but another one is the rare one, with which frequent ones are hidden
    "SELECT i AS id, CAST(i = (SELECT CAST(floor(random() * {n}) AS INTEGER)) AS INTEGER) AS zip, 0 AS age "
    "FROM range({n}) AS t(i)",
)


class Moving:
    """Releases of moving sources, through the table functions and the clause.

    Parameters
    ----------
    folder : Path
        Where the file is that changes while it is read.
    """

    def __init__(self, folder: Path) -> None:
        self.file = folder / "moving.csv"

    def close(self) -> None:
        """Nothing is kept."""

    def judge(self, seed: str) -> Verdict:
        """Release a source once and say what is wrong."""
        draw = Random(seed)
        number, k, clause = draw.randrange(len(VIEWS)), draw.choice([2, 3, 5]), draw.random() < 0.3
        view = VIEWS[number].format(n=ROWS, file=self.file)
        verdict = Verdict()
        with kanon_sql.connect(secret=SECRET) as con:
            if "read_csv" in view:
                self._stirred(con, draw)
            con.execute("SET enable_progress_bar = false")
            con.execute(f"CREATE SEQUENCE ticks; CREATE VIEW moving AS {view}")
            call = f"k_anonymize('moving', {k}, qi := ['zip', 'age'], keep := ['id'])"
            query = (
                f"SELECT * FROM moving ANONYMIZE BY zip, age KEEP id GUARANTEE k >= {k}" if clause else f"SELECT * FROM {call}"
            )
            try:
                con.execute(f"CREATE TABLE released AS {query}")
            except Exception as error:  # every kind of it is judged
                try:
                    refusal = refused(error)
                except FoundError as finding:
                    verdict.found.append(f"source {number}: {finding}")
                    return verdict
                verdict.reason = f"{refusal.kind}: {reason(str(refusal))}"
                return verdict
            rows = con.execute("SELECT id, zip, age FROM released").fetchall()
            claim = claim_of(kanon_sql.releases(con)[-1])
        verdict.released = True
        classes = Counter((zip_code, age) for _, zip_code, age in rows)
        if min(classes.values()) < k:
            verdict.found.append(f"source {number}: a class of {min(classes.values())} rows, k = {k}")
        if claim.rows != len(rows) or claim.classes != len(classes) or claim.smallest_class != min(classes.values()):
            verdict.found.append(
                f"source {number}: the certificate counts {claim}, there are {len(rows)} rows in {len(classes)} classes"
            )
        verdict.found += [f"source {number}: {each}" for each in _incoherent(number, [row[0] for row in rows])]
        return verdict

    def _stirred(self, con: Any, draw: Random) -> None:
        """Write the file; whoever reads a row of it writes it anew."""
        seed = draw.random()

        def write(shift: int) -> None:
            lines = (f"{number},{(number + shift) % 3},{number % 2}" for number in range(ROWS))
            self.file.write_text("\n".join(lines) + "\n", encoding="utf-8")

        calls = [0]

        def stir(number: int) -> int:
            calls[0] += 1
            if calls[0] % (1 + int(seed * ROWS)) == 0:
                write(calls[0])
            return number

        write(0)
        con.create_function("stir", stir, ["INTEGER"], "INTEGER", side_effects=True)


def _incoherent(number: int, ids: list[int]) -> list[str]:
    """What no single reading of the source can give."""
    twice = [each for each, times in Counter(ids).items() if times > 1]
    if number == 5:  # ids repeat there
        return [] if len(ids) == ROWS else [f"{len(ids)} rows of {ROWS}"]
    if twice:
        return [f"{len(twice)} rows are there twice"]
    if number in (0, 1, 4, 6, 7) and sorted(ids) != list(range(ROWS)):
        return [f"{ROWS - len(ids)} rows are missing"]
    if number == 3 and len(ids) != ROWS:
        return [f"{len(ids)} rows of {ROWS}"]
    return []


__all__ = ["Moving", "RefusedError"]
