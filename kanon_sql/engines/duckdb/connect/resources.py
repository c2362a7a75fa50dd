"""What a computer runs out of, or refuses: the way out of an error, and its words without those of DuckDB's insides."""

from __future__ import annotations

import errno
import os
import re

_SPACE = "free some space on that disk, or use a different one"
_FORBIDDEN = "check the permissions of the file and of its folder"
_FILES = "raise the limit on open files (ulimit -n)"
_MEMORY = "raise the memory limit, set temp_directory to a disk with free space, or use fewer columns or rows"
_SPILL = (
    "free some space on the disk of temp_directory, set temp_directory to a different disk, or raise max_temp_directory_size"
)
_LOCKED = "another process has the database open; wait until it closes the database, and try again"

_WAYS_OUT = {
    errno.ENOSPC: _SPACE,
    errno.EDQUOT: _SPACE,
    errno.EFBIG: "raise the limit on file sizes (ulimit -f), or use a disk that supports larger files",
    errno.EROFS: "use a writable folder",
    errno.EACCES: _FORBIDDEN,
    errno.EPERM: _FORBIDDEN,
    errno.EMFILE: _FILES,
    errno.ENFILE: _FILES,
    errno.ENOMEM: _MEMORY,
}
"""What to do about the errors of the operating system that say what is missing."""

MEANINGS = {
    "ConversionException": "a value does not fit the type of its column",
    "OutOfRangeException": "a number is too large for the type of its column",
    "BinderException": "it lacks required columns",
    "ParserException": "a name in it cannot be used in SQL",
    "InterruptException": "the work was interrupted",
    "ConstraintException": "a value is missing or duplicated",
    "SerializationException": "the file is damaged or has a different version",
}
"""What kinds of errors of DuckDB mean, without the values that they quote."""

_OFFLOADED = re.compile("failed to offload|max_temp_directory_size")
_LOCK = re.compile("Could not set lock on file")


def way_out(error: BaseException) -> str | None:
    """Return what to do about an error that says what the computer ran out of or refuses; None for any other error."""
    if isinstance(error, OSError):
        return _WAYS_OUT.get(error.errno or 0)
    if is_out_of_memory(error):
        return _MEMORY
    return _of_duckdb(error)


def _of_duckdb(error: BaseException) -> str | None:
    import duckdb  # the command answers --help without it

    words = str(error)
    if isinstance(error, duckdb.OutOfMemoryException):
        return _SPILL if _OFFLOADED.search(words) else _MEMORY
    # All other errors may quote a cell that holds the words of the operating system.
    if not isinstance(error, duckdb.IOException | duckdb.TransactionException | duckdb.FatalException):
        return None
    if _LOCK.search(words):
        return _LOCKED
    return next((hint for number, hint in _WAYS_OUT.items() if os.strerror(number) in words), None)


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether Python has no memory left, also for the code of a package that it loads only now."""
    return isinstance(error, MemoryError) or (isinstance(error, ImportError) and "failed to map segment" in str(error))


def system_words(error: OSError) -> str:
    """Return the words of the operating system, and what to do."""
    hint = way_out(error)
    return f"{error.strerror or type(error).__name__}{f'; hint: {hint}' if hint else ''}"
