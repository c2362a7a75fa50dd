"""Loops over equivalence classes that hold k rows: opening, filling, destroying and repairing them."""

try:
    from kanon_sql.kernels._classes import *
except ModuleNotFoundError:
    from kanon_sql.kernels.classes.destroy_repair import rebuild
    from kanon_sql.kernels.classes.greedy import take_frequent
    from kanon_sql.kernels.classes.guided_opening import open_by_price
    from kanon_sql.kernels.classes.listed_greedy import take_listed
    from kanon_sql.kernels.classes.neighbourhoods import classes_near
    from kanon_sql.kernels.classes.partition import BITS, SLOTS, CandidateClasses, Partition, put_all, take_all
    from kanon_sql.kernels.classes.parts import count_candidates, list_candidates
    from kanon_sql.kernels.classes.shift import shift_rows
    from kanon_sql.kernels.classes.smaller import open_smaller
    from kanon_sql.kernels.classes.workspace import RepairWorkspace
