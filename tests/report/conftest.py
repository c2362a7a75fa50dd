"""Reports are only made where the packages for them are."""

from __future__ import annotations

import pytest

pytest.importorskip("jinja2", reason="the extra 'report' is not installed")
pytest.importorskip("altair", reason="the extra 'report' is not installed")
pytest.importorskip("vl_convert", reason="the extra 'report' is not installed")
