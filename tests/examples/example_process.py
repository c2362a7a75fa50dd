"""Examples in processes of their own, as a user would run them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

_STARTED = re.compile(r"running on http://127\.0\.0\.1:(\d+) ")


def run(*arguments: str, folder: Path, remarks: Sequence[str] = ()) -> str:
    """Run Python and return what it prints; the remarks are the lines on the standard error."""
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, encoding="utf-8", timeout=300, check=False
    )
    assert (done.returncode, done.stderr.splitlines()) == (0, list(remarks))
    return done.stdout


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A running service.

    Parameters
    ----------
    port : int
        Where it listens on 127.0.0.1.
    """

    port: int

    def ask(self, path: str, **parameters: str) -> tuple[int, Any]:
        """Return the status of a GET request, and the JSON of its answer."""
        url = f"http://127.0.0.1:{self.port}{path}?{urlencode(parameters)}"
        try:
            with urlopen(url, timeout=60) as answer:
                return answer.status, json.load(answer)
        except HTTPError as error:
            with error:
                return error.code, json.load(error)

    def text(self, address: str) -> str:
        """Return the text of a GET request that is answered."""
        with urlopen(f"http://127.0.0.1:{self.port}{address}", timeout=60) as answer:
            assert answer.status == 200
            return str(answer.read(), "utf-8")

    def rows(self, path: str, **parameters: str) -> Any:
        """Return the JSON of a request that is answered."""
        status, found = self.ask(path, **parameters)
        assert status == 200, found
        return found


@contextmanager
def serving(*arguments: str, folder: Path) -> Iterator[Service]:
    """Start a service on a free port, and end it; it must not complain in between."""
    log = folder / "served.log"
    with log.open("w", encoding="utf-8") as written:
        process = subprocess.Popen([sys.executable, *arguments], cwd=folder, stdout=written, stderr=written)
        try:
            yield Service(port=_port(process, log))
        finally:
            process.terminate()
            process.wait(timeout=60)
    assert "Traceback" not in log.read_text(encoding="utf-8")


def _port(process: subprocess.Popen[bytes], log: Path) -> int:
    end = time.monotonic() + 120
    while time.monotonic() < end and process.poll() is None:
        if found := _STARTED.search(log.read_text(encoding="utf-8")):
            return int(found[1])
        time.sleep(0.05)
    raise AssertionError(log.read_text(encoding="utf-8"))
