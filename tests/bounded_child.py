"""Runs the script that comes on standard input; see `bounded`."""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

import kanon_sql
from kanon_sql.errors import InternalError, KanonError


def peak() -> int:
    """The most memory that this process held, in MB. What getrusage says begins with that of the process which started it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) >> 10


def main(megabytes: int) -> None:
    script = sys.stdin.read()
    with kanon_sql.connect(config={"threads": 2}) as con:
        con.execute("CREATE TABLE warm AS SELECT (98100 + i % 50)::VARCHAR AS zip, i % 7 AS age FROM range(200) AS r(i)")
        con.execute("FROM warm ANONYMIZE BY zip IN DIGITS, age IN INTERVALS (3) GUARANTEE k >= 5").fetchall()
        con.execute("DROP TABLE warm")
        size = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + (megabytes << 20),) * 2)
        names = {"con": con, "kanon_sql": kanon_sql, "found": []}
        refusal, started = "", time.monotonic()
        try:
            exec(compile(script, "script", "exec"), names)
        except InternalError:
            raise
        except KanonError as error:
            refusal = f"{type(error).__name__}: {error}"
        print(  # noqa: T201
            json.dumps(
                {
                    "found": names["found"],
                    "refusal": refusal,
                    "peak": peak(),
                    "seconds": time.monotonic() - started,
                }
            )
        )


if __name__ == "__main__":
    main(int(sys.argv[1]))
