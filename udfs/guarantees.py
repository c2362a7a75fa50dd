"""The table functions that release a table under a guarantee.

- `k_anonymize(tbl, k)`: the release of least cost in which every row looks like k - 1 others.
- `l_diversify(tbl, sa, l)`: the release of least cost in which every class is also l-diverse in a sensitive attribute.
- `t_close(tbl, sa, t)`: the release of least cost in which every class is also t-close to the whole table.
- `beta_like(tbl, sa, beta)`: the release of least cost in which every class is also beta-like to the whole table.
- `delta_private(tbl, sa, delta)`: the release of least cost in which every class also has delta-disclosure privacy.
- `k_map(tbl, k_map, population)`: the release of least cost in which every row matches k_map rows of the population.
- `delta_present(tbl, presence, population)`: a release in which no row of the population has shares of more than presence.
- `pattern_guided(tbl, masks)`: every released row conforms to one of the masks, and looks like k - 1 others.

Where `pattern_guided` gets no ``qi``, the columns that some mask shows and all others are.
"""

from __future__ import annotations

from kanon_sql.udfs.arguments import releasing

from kanon_sql.engines.guarantees import audited_class
from kanon_sql.model.requirements import THRESHOLDS

FUNCTIONS, MACROS = zip(
    releasing("k_anonymize", "k"),
    *(
        releasing(str(audited_class(each).release).partition("(")[0], requirement=each)
        for each in THRESHOLDS
        if audited_class(each).release
    ),
    releasing("k_map", "k_map", "population", k="1"),
    releasing("delta_present", "presence", "population", k="1"),
    releasing("pattern_guided", "masks", needed="pass [['zip', 'age'], ['education'], []]"),
    strict=True,
)
