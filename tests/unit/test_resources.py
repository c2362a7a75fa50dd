"""The way out of an error that says what a computer ran out of, told from errors with other causes."""

from __future__ import annotations

import errno
import os
import signal
import sys
from pathlib import Path

import duckdb
import pytest
from small_disk import on_small_disk

from kanon_sql.engines.duckdb.connect.resources import system_words, way_out
from kanon_sql.engines.duckdb.files.places import plain


@pytest.mark.parametrize(
    ("number", "hint"),
    [
        (errno.ENOSPC, "free some space"),
        (errno.EDQUOT, "free some space"),
        (errno.EFBIG, "ulimit -f"),
        (errno.EROFS, "writable folder"),
        (errno.EACCES, "permissions"),
        (errno.EMFILE, "ulimit -n"),
        (errno.ENOMEM, "raise the memory limit"),
    ],
)
def test_the_operating_system_says_what_is_missing(number: int, hint: str) -> None:
    words = os.strerror(number)
    assert system_words(OSError(number, words)).startswith(f"{words}; hint: ")
    written = f'Failed to commit: Could not write file "/data/clinic.duckdb.wal": {words}'
    for error in (OSError(number, words), duckdb.IOException(f"IO Error: {written}"), duckdb.TransactionException(written)):
        assert hint in (way_out(error) or "")
    nested = (
        f'{{"exception_type":"IO","exception_message":"Could not write file \\"/data/out.csv\\": {words}","errno":"{number}"}}'
    )
    told = plain(duckdb.IOException(f"IO Error: Async write failed for range [offset=0, size=23]: {nested}"))
    assert f'Could not write file "/data/out.csv": {words}; hint: ' in told
    assert "exception_message" not in told


def test_other_causes_have_no_way_out() -> None:
    full = os.strerror(errno.ENOSPC)
    conflict = duckdb.TransactionException("TransactionContext Error: Conflict on tuple deletion!")
    for error in (OSError(errno.EIO, "I/O error"), OSError("15 requested and 3 written"), conflict, ValueError(full)):
        assert way_out(error) is None
    # A cell with the words of the operating system: neither taken for the cause, nor quoted.
    quoting = duckdb.ConversionException(f"Conversion Error: Could not convert string '{full}' to INT32")
    assert way_out(quoting) is None
    assert full not in plain(quoting)


def test_no_memory_is_told_from_no_space_for_what_leaves_it() -> None:
    assert "raise the memory limit" in (way_out(MemoryError()) or "")
    assert "raise the memory limit" in (way_out(ImportError("x.so: failed to map segment from shared object")) or "")
    assert way_out(ImportError("No module named 'jinja2'")) is None
    left = "Out of Memory Error: failed to offload data block of size 64.0 KiB (5.3 MiB/5.3 MiB used)."
    assert "disk of temp_directory" in (way_out(duckdb.OutOfMemoryException(left)) or "")
    block = "Out of Memory Error: could not allocate block of size 256.0 KiB (57.2 MiB/57.2 MiB used)"
    assert "raise the memory limit" in (way_out(duckdb.OutOfMemoryException(block)) or "")


SPOOLED = """
import numpy as np, pyarrow as pa
from kanon_sql.model.policy import Policy
from kanon_sql.table.spooled_codes import SpooledCodes

spooled = SpooledCodes(4, ".")
number = np.arange(100_000)
spooled.add([pa.array(number // 10 ** place) for place in range(4)], np.ones(100_000, np.int64))
policy = Policy.of(k=2, quasi_identifiers=["a", "b", "c", "d"])
try:
    spooled.table(["a", "b", "c", "d"], policy, lambda done: None)
except OSError as error:
    print(error.strerror)
"""


@pytest.mark.parametrize("free", [1_000_000, 2_000_000, 3_000_000, 4_000_000])
@pytest.mark.everything
def test_codes_that_find_no_space_are_an_error_and_no_crash(tmp_path: Path, free: int) -> None:
    (folder := tmp_path / "scripts").mkdir()
    (folder / "spool.py").write_text(SPOOLED)
    (run,) = on_small_disk(tmp_path / "disk", folder, [sys.executable, "spool.py"], free=free)
    assert run.code != -signal.SIGBUS
    assert "No space left on device" in run.out + run.err
