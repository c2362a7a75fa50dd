"""The process that the fault lab kills: it loads everything once, then forks a child for each trial."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

_BOUND = "k_anonymize('p', {k}, qi := ['zip', 'age'], algorithm := 'greedy')"


def main() -> None:
    """Read one trial per line, as JSON, and answer with ``ready PID``, ``done`` and ``exit STATUS``."""
    import kanon_sql
    import kanon_sql.clause.copies
    import kanon_sql.cli
    import kanon_sql.cli.script
    import kanon_sql.report.release_report

    with kanon_sql.connect() as con:  # closed before the first fork: a child inherits no thread
        con.execute("CREATE TABLE p AS SELECT i % 3 AS zip, i % 2 AS age FROM range(20) AS t(i)")
        con.execute("SELECT * FROM p ANONYMIZE BY zip, age GUARANTEE k >= 2 USING greedy").fetchall()
        con.execute(f"FROM {_BOUND.format(k=2)}").fetchall()
    for line in sys.stdin:
        trial = json.loads(line)
        child = os.fork()
        if not child:
            _child(trial)
        _, status = os.waitpid(child, 0)
        _say(f"exit {os.waitstatus_to_exitcode(status)}")


def _child(trial: dict[str, Any]) -> None:
    """Do what a trial says, and end."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    code = 1
    with suppress(BaseException):
        os.chdir(trial["folder"])
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 - until the process ends
        errors = os.open("errors.txt", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        os.dup2(errors, 2)
        work = _work(trial)
        if trial.get("bytes") is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write beyond the limit then fails, as on a full disk
            resource.setrlimit(resource.RLIMIT_FSIZE, (trial["bytes"], trial["bytes"]))
        _say(f"ready {os.getpid()}")
        try:
            code = work()
        except KeyboardInterrupt:
            code = 130
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        except Exception as error:
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            sys.stderr.flush()
        _say("done")
    os._exit(code)


def _work(trial: dict[str, Any]) -> Callable[[], int]:
    """Return what is timed; connections are opened before."""
    import kanon_sql

    if "command" in trial:
        sys.argv = ["kanon", *trial["command"]]
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - until the process ends

        def command() -> int:
            kanon_sql.cli.main(standalone_mode=True)  # type: ignore[attr-defined]
            return 0

        return command
    con = kanon_sql.connect(str(Path(trial["folder"]) / "clinic.duckdb"), config=trial.get("config", {}))

    def statements() -> int:
        for statement in trial["statements"]:
            con.execute(statement)
        con.close()
        return 0

    return statements


_OUTPUT = os.dup(1)


def _say(line: str) -> None:
    os.write(_OUTPUT, f"{line}\n".encode())


if __name__ == "__main__":
    main()
