"""Fault lab: kill the work at random moments, and see with plain DuckDB whether anything partial was left."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dbt_projects import INSTALLED
from rich.console import Console
from rich.table import Table

from benchmarks import fault_checks, fault_dbt
from benchmarks.fault_scenarios import ROWS, SCENARIOS, K, Scenario, inputs
from kanon_sql.engines.duckdb.files.staging import staging_directory

_SIGNALS = ("SIGKILL", "SIGKILL", "SIGINT", "SIGTERM", "SIGINT SIGINT")
_PATIENCE = 120.0
_MOMENTS = 0.0, 1.15
"""Shares of the time of an undisturbed run, which a busy machine exceeds."""


@dataclass(slots=True)
class Tally:
    """What was seen of one scenario."""

    seconds: float = 0.0
    trials: int = 0
    kills: int = 0
    midway: int = 0
    writing: int = 0
    shares: list[float] = field(default_factory=list)
    whole: int = 0
    hung: int = 0
    violations: list[str] = field(default_factory=list)


class Worker:
    """The process whose children are killed; ``stuck`` tells whether the last one had to be, because it did not end."""

    stuck = False

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.fault_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def start(self, trial: dict[str, Any]) -> int:
        """Begin a trial and return the process to kill, once it is at work."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(trial) + "\n")
        self._process.stdin.flush()
        return int(self._line().removeprefix("ready "))

    def finish(self, child: int) -> tuple[bool, int]:
        """Wait for the end: whether the work came to its own, and the exit code; work that does not end is killed."""
        timer = threading.Timer(_PATIENCE, _kill, (child, signal.SIGKILL))
        timer.start()
        done = False
        while not (line := self._line()).startswith("exit "):
            done = done or line == "done"
        self.stuck = timer.finished.is_set()
        timer.cancel()
        return done, int(line.removeprefix("exit "))

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the worker has died")
        return line.rstrip("\n")


def _kill(process: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, number)


def measure(minutes: float, seed: int) -> Iterator[dict[str, Any]]:
    """Go round the scenarios until the time is over; yield one record per scenario.

    Parameters
    ----------
    minutes : float
        How long; every scenario has a trial of each kind at least.
    seed : int
        Of the moments and signals.
    """
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="kanon-faults-") as root:
        lab = _Lab(Path(root), chance)
        end = time.monotonic() + minutes * 60
        rounds = 0
        while time.monotonic() < end or rounds == 0:
            for scenario in SCENARIOS:
                if time.monotonic() < end or rounds == 0:
                    lab.kill(scenario)
            if rounds % 5 == 0:
                lab.full_disk()
                lab.appearing()
                lab.two_writers()
            if rounds % 10 == 0:
                lab.dbt()
            rounds += 1
        lab.close()
        yield from lab.records()


class _Lab:
    """One folder with the inputs, one worker (two where two write), and the tallies."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        self._root, self._chance = root, chance
        self._inputs, self._folder = root / "inputs", root / "work"
        self._inputs.mkdir()
        inputs(self._inputs)
        self._worker, self._second = Worker(), Worker()
        self._tallies: dict[str, Tally] = {}
        self._project: fault_dbt.Project | None = None
        for scenario in SCENARIOS:
            self._tallies[scenario.name] = Tally(seconds=min(self._undisturbed(scenario) for _ in range(2)))

    def close(self) -> None:
        self._worker.close()
        self._second.close()

    def records(self) -> Iterator[dict[str, Any]]:
        for name, tally in self._tallies.items():
            shares = sorted(tally.shares)
            yield {
                "work": name,
                "seconds": round(tally.seconds, 2),
                "trials": tally.trials,
                "kills": tally.kills,
                "midway": tally.midway,
                "writing": tally.writing,
                "median_share": round(shares[len(shares) // 2], 2) if shares else None,
                "whole": tally.whole,
                "hung": tally.hung,
                "violations": tally.violations,
            }

    def kill(self, scenario: Scenario) -> None:
        """Kill one run at a random moment of its time."""
        tally = self._tallies[scenario.name]
        self._fresh(scenario)
        signals = self._chance.choice(_SIGNALS).split()
        share = self._chance.uniform(*_MOMENTS)
        child = self._worker.start(scenario.trial(self._folder))
        time.sleep(share * tally.seconds)
        with suppress(FileNotFoundError):  # it may be put in its place just now
            tally.writing += fault_checks.written(self._folder) > 0
        for number, name in enumerate(signals):
            time.sleep(0.03 * (number > 0))
            _kill(child, signal.Signals[name])
        done, code = self._worker.finish(child)
        tally.trials += 1
        tally.kills += 1
        if not done or code != 0:
            tally.midway += 1
            tally.shares.append(share)
        self._judge(scenario, tally, f"{' '.join(signals)} at {share:.2f}", succeeded=code == 0)

    def full_disk(self) -> None:
        """Let no file grow beyond a random size."""
        for scenario in SCENARIOS:
            tally = self._tally("full disk")
            self._fresh(scenario)
            size = int(10 ** self._chance.uniform(3, 7.3))
            if "clinic.duckdb" in scenario.needs:
                size += (self._inputs / "clinic.duckdb").stat().st_size
            child = self._worker.start({**scenario.trial(self._folder), "bytes": size})
            _, code = self._worker.finish(child)
            tally.trials += 1
            tally.midway += code != 0
            # DuckDB 2.0 by itself hangs now and then where two threads cannot write one CSV file: 4 of 571 such COPYs.
            tally.hung += self._worker.stuck
            self._worker.stuck = False
            self._judge(scenario, tally, f"{scenario.name}, {size:,} bytes", succeeded=code == 0)

    def appearing(self) -> None:
        """Let OUT appear at a random moment: it is left as it is, or it was too late."""
        for scenario in SCENARIOS:
            if not scenario.command or not scenario.targets or scenario.replaced or scenario.name == "kanon run":
                continue
            tally = self._tally("OUT appears")
            self._fresh(scenario)
            target = self._folder / scenario.targets[0]
            child = self._worker.start(scenario.trial(self._folder))
            time.sleep(self._chance.uniform(*_MOMENTS) * self._tallies[scenario.name].seconds)
            try:
                with target.open("x", encoding="utf-8") as file:
                    file.write("mine")
                first = True
            except FileExistsError:
                first = False
            _, code = self._worker.finish(child)
            tally.trials += 1
            tally.midway += first
            if first and (code == 0 or target.read_text(encoding="utf-8") != "mine"):
                tally.violations.append(f"{scenario.name}: replaced what had appeared, exit code {code}")
            if first:
                target.unlink()
            self._judge(scenario, tally, scenario.name, succeeded=code == 0)

    def two_writers(self) -> None:
        """Let two write to the same OUT at once: exactly one ends with 0."""
        for scenario in SCENARIOS:
            if not scenario.command or scenario.command[0] not in ("anonymize", "report") or scenario.replaced:
                continue
            tally = self._tally("two writers")
            self._fresh(scenario)
            first = self._worker.start(scenario.trial(self._folder))
            time.sleep(self._chance.uniform(0, 0.3))
            second = self._second.start(scenario.trial(self._folder))
            codes = sorted([self._worker.finish(first)[1], self._second.finish(second)[1]])
            tally.trials += 1
            tally.midway += 1
            if codes != [0, 1]:
                tally.violations.append(f"{scenario.name}: exit codes {codes}")
            self._judge(scenario, tally, scenario.name, succeeded=True)

    def dbt(self) -> None:
        """Kill dbt, where it is installed."""
        if not INSTALLED:
            return
        if self._project is None:
            self._project = fault_dbt.Project(self._root / "dbt", self._inputs)
            self._tallies["dbt run"] = Tally(seconds=self._project.seconds)
        tally = self._tallies["dbt run"]
        share, number = self._chance.uniform(0.3, 1.05), signal.Signals[self._chance.choice(_SIGNALS).split()[0]]
        midway, problems = self._project.killed(share * tally.seconds, number)
        tally.trials += 1
        tally.kills += 1
        tally.midway += midway
        if midway:
            tally.shares.append(share)
        tally.violations += [f"{number.name} at {share:.2f}: {each}" for each in problems]

    def _tally(self, name: str) -> Tally:
        return self._tallies.setdefault(name, Tally())

    def _undisturbed(self, scenario: Scenario) -> float:
        """Run once without a fault: it must succeed, and leave everything whole."""
        self._fresh(scenario)
        child = self._worker.start(scenario.trial(self._folder))
        begun = time.monotonic()
        _, code = self._worker.finish(child)
        seconds = time.monotonic() - begun
        tally = Tally()
        self._judge(scenario, tally, "undisturbed", succeeded=True)
        if code or tally.violations:
            said = (self._folder / "errors.txt").read_text(encoding="utf-8")
            raise RuntimeError(f"{scenario.name} fails undisturbed: {tally.violations} {said}")
        return seconds

    def _fresh(self, scenario: Scenario) -> None:
        self._worker.stuck = self._second.stuck = False
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir()
        scenario.prepare(self._inputs, self._folder)

    def _judge(self, scenario: Scenario, tally: Tally, moment: str, *, succeeded: bool) -> None:
        """Check all that may be there, and that the next run cleans up."""
        problems = list(fault_checks.folder(self._folder, scenario.allowed()))
        if self._worker.stuck or self._second.stuck:
            problems.append(f"{scenario.name} has not ended after {_PATIENCE:.0f} seconds")
        for name in scenario.targets:
            path = self._folder / name
            there = path.exists()
            tally.whole += there
            if not there and (succeeded or scenario.replaced):
                problems.append(f"{name} is not there")
            problems += fault_checks.file(path, ROWS, K)
        if "clinic.duckdb" in scenario.needs:
            problems += fault_checks.database(self._folder / "clinic.duckdb", ROWS, K, empty=scenario.empty)
        if scenario.certificate and (self._folder / scenario.certificate).exists():
            if not (self._folder / scenario.targets[0]).exists():
                problems.append("a certificate without its release")
            with suppress(ValueError):
                json.loads((self._folder / scenario.certificate).read_text(encoding="utf-8"))
        with staging_directory(self._folder):
            pass
        left = list(self._folder.glob(".kanon-*/*"))
        if left:
            problems.append(f"the next run does not remove {left[0].name}")
        tally.violations += [f"{moment}: {each}" for each in problems]


def show(console: Console, records: list[dict[str, Any]]) -> None:
    """Print what was killed and what was left."""
    table = Table(title="Faults: one line per kind of work", title_justify="left")
    for head in (
        "work",
        "seconds",
        "trials",
        "kills",
        "in the middle",
        "while writing",
        "median moment",
        "whole",
        "violations",
    ):
        table.add_column(head, justify="left" if head == "work" else "right")
    for each in records:
        moment = "" if each["median_share"] is None else f"{each['median_share']:.0%}"
        cells = (each["seconds"] or "", each["trials"], each["kills"], each["midway"], each["writing"], moment, each["whole"])
        table.add_row(each["work"], *map(str, cells), str(len(each["violations"])))
    console.print(table)
    killed = [each for each in records if each["kills"]]
    trials, kills = sum(each["trials"] for each in records), sum(each["kills"] for each in killed)
    midway, writing = sum(each["midway"] for each in killed), sum(each["writing"] for each in killed)
    broken = [f"{each['work']}: {line}" for each in records for line in each["violations"]]
    console.print(
        f"{trials:,} trials, {kills:,} kills, {midway:,} of them in the middle, {writing:,} with a file half written; "
        f"{sum(each['hung'] for each in records)} hung on a full disk; {len(broken)} violations"
    )
    for line in broken[:50]:
        console.print(line, markup=False, highlight=False)


def broken(records: list[dict[str, Any]]) -> bool:
    """Tell whether anything partial was seen."""
    return any(each["violations"] for each in records)
