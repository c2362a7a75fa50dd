"""Arrow arrays built from buffers equal those that Arrow builds, and no offset wraps."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from kanon_sql.engines import built_arrays
from kanon_sql.errors import SourceError


@pytest.mark.parametrize(
    "values", [[], [None], [""], ["a", None, "", "98101", "Zo\u00eb \U0001f600", None], [f"{n}" * n for n in range(70)]]
)
def test_texts(values: list[str | None]) -> None:
    built = built_arrays.texts(values)
    built.validate(full=True)
    assert built.equals(pa.array(values, pa.string()))


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint64])
@pytest.mark.parametrize("size", [0, 1, 8, 9, 130])
def test_numbers(dtype: type, size: int) -> None:
    values = np.arange(2 * size, dtype=dtype)[::2]  # not contiguous
    missing = values % 3 == 1
    for given in (None, missing):
        built = built_arrays.numbers(values, missing=given)
        built.validate(full=True)
        assert built.equals(pa.array(values, mask=given))


def test_texts_that_offsets_cannot_count_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(built_arrays, "MOST_BYTES", 10)
    assert len(built_arrays.texts(["12345", None, "67890"])) == 3
    with pytest.raises(SourceError, match="2 GiB"):
        built_arrays.texts(["12345", "678901"])
