"""The certificate of a release that links the rows of each person, as a file."""

from __future__ import annotations

from kanon_sql.certificate.file import OBJECT, SECONDS, TEXT, TEXTS, WHOLE, WHOLE_OR_NULL, Layout

HISTORIES = Layout(
    format="kanon-sql history certificate 1",
    claims={
        "policy": OBJECT,
        "guarantee": TEXT,
        "k": WHOLE,
        "people": WHOLE,
        "rows": WHOLE,
        "own_columns": TEXTS,
        "linked_people": WHOLE,
        "linked_rows": WHOLE,
        "fewest_candidates": WHOLE_OR_NULL,
        "people_below_next": WHOLE_OR_NULL,
        "suppressed_cells": WHOLE,
        "cells": WHOLE,
        "lower_bound": WHOLE,
        "bound_method": TEXT,
        "seconds": SECONDS,
        "warnings": TEXTS,
    },
    later={},
)
"""The certificate of linked histories."""
