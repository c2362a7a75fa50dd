"""The one place that knows which of the behaviour to be checked the code under test already has."""

from __future__ import annotations

import inspect
from typing import Any

import kanon_sql

SECRET = b"the secret of the fuzz: 32 bytes"

MENDED = "secret" in inspect.signature(kanon_sql.anonymize).parameters
"""Where it is False, the code is older than this suite, and the suite leaves out what that code is known not to keep.

These are: values with several texts that are equal in SQL are not drawn; ENUM columns may stay ENUM; which rows of a split row
type are suppressed, and in which order rows come, may depend on the source; labels of texts with separators may be refused.
"""


def secret() -> dict[str, Any]:
    """The secret as an argument of `connect`, `register` and `anonymize`."""
    return {"secret": SECRET} if MENDED else {}
