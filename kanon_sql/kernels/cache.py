"""Where compiled kernels are kept: beside them, in the cache folder of the user, or in one of the process alone."""

from __future__ import annotations

import atexit
import shutil
import tempfile

from numba import config, njit

from kanon_sql.errors import KanonError, raise_alone


def ensure_cache() -> None:
    """See to it that kernels can be compiled: numba refuses a function whose cache it cannot write.

    Notes
    -----
    numba itself is asked, because what it accepts depends on folders and on the environment. A read-only installation of a user
    without a home folder gets a private folder that ends with the process: each process compiles anew there.

    Raises
    ------
    KanonError
        When there is not even a folder for temporary files.
    """
    try:
        njit(cache=True)(_probe)
        return
    except RuntimeError:
        pass
    try:
        folder = tempfile.mkdtemp(prefix="kanon-kernels-")
    except OSError:
        raise_alone(KanonError("no folder can be written for compiled kernels; hint: set NUMBA_CACHE_DIR or TMPDIR to one"))
    config.CACHE_DIR = folder  # type: ignore[attr-defined] # numba fills its module when it is imported
    atexit.register(shutil.rmtree, folder, ignore_errors=True)


def _probe() -> None:
    """Be a function that could be cached; it is never compiled."""
