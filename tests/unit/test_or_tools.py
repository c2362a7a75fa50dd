"""OR-Tools keeps the state of the thread that imports it, so no thread of DuckDB may be that one."""

from __future__ import annotations

import subprocess
import sys

import pytest

_PROGRAM = """
import sys, threading

class Watch:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "ortools":
            threads.add(threading.current_thread().name)

threads = set()
sys.meta_path.insert(0, Watch())
import kanon_sql
con = kanon_sql.connect()
con.execute("CREATE TABLE t AS SELECT range * 7 % 11 % 5 AS a, range * 31 % 7 % 4 AS b FROM range(60)")
con.execute("SELECT a, b, count(*) AS n FROM t GROUP BY CUBE (a, b) PROTECT n >= 4 USING optimal").fetchall()
con.execute("SELECT a, b FROM t ANONYMIZE BY a, b GUARANTEE k >= 3 USING optimal").fetchall()
print(sorted(threads))
"""


@pytest.mark.everything
def test_or_tools_is_imported_on_a_thread_of_its_own() -> None:
    ran = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True, timeout=120)
    assert ran.stdout.splitlines()[-1] == "['kanon-or-tools']"
