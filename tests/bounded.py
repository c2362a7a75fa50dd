"""Scripts in a process of their own, with little memory and little time."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

CHILD = Path(__file__).with_name("bounded_child.py")


@dataclass(frozen=True)
class Ended:
    """How a script ended.

    Parameters
    ----------
    released : list
        What the script left in ``found``; empty when it was refused.
    refusal : str
        The kind of the error of this package, and its message; empty when there was none.
    peak : int
        Megabytes of memory that the process had at most.
    """

    released: list[object]
    refusal: str
    peak: int


@cache
def bounded(script: str, *, megabytes: int = 1000, seconds: int = 60) -> Ended:
    """Run a script that finds a connection ``con``, with so much more memory than a small release takes.

    Any error that is none of this package fails the test, and so does a script that does not end in time.
    """
    done = subprocess.run(
        [sys.executable, str(CHILD), str(megabytes)],
        input=script,
        capture_output=True,
        text=True,
        timeout=seconds + 30,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["seconds"] < seconds, told
    return Ended(released=told["found"], refusal=told["refusal"], peak=told["peak"])
