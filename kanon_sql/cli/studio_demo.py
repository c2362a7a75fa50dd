"""The invented table of ``kanon studio --demo``, as a file for as long as the page is open."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

_ROWS, _SEED = 2_000, 0


@contextmanager
def demo_file(wanted: bool) -> Iterator[str | None]:
    """Yield the path of a CSV file with visits of invented patients, or None."""
    if not wanted:
        yield None
        return
    from kanon_sql.cli.demo_table import FILE, write_visits

    with TemporaryDirectory(prefix="kanon-studio-") as folder:
        write_visits(folder, _ROWS, _SEED)
        yield str(Path(folder) / FILE)
