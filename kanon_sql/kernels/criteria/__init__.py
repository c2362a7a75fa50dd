"""What classes have to meet, one criterion a file: the test, the shortfall, and whether a class that grows may meet it."""

try:
    from kanon_sql.kernels._criteria import *
except ModuleNotFoundError:
    from kanon_sql.kernels.criteria.dispatch import may_meet, meets
    from kanon_sql.kernels.criteria.earth_movers import transport
    from kanon_sql.kernels.criteria.encoded import (
        COUNT,
        DISTINCT,
        ENTROPY,
        EQUAL,
        FREQUENCY,
        MATRIX,
        RECURSIVE,
        SHARES,
        TREE,
        CriteriaWorkspace,
        EncodedRequirement,
    )
    from kanon_sql.kernels.criteria.part import Part
