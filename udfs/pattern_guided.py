"""`pattern_guided(tbl, masks)`: every released row conforms to one of the masks, and looks like k - 1 others.

Where no ``qi`` is given, the columns that some mask shows and all others are.
"""

from __future__ import annotations

from kanon_sql.udfs.arguments import releasing

FUNCTION, MACRO = releasing("pattern_guided", "masks", needed="[['zip', 'age'], ['education'], []]")
