"""Loops over pattern instances: which there are, what they gain, and what bounds follow."""

try:
    from kanon_sql.kernels._instances import *
except ModuleNotFoundError:
    from kanon_sql.kernels.instances.agreement import shared_patterns
    from kanon_sql.kernels.instances.bit_slices import Values
    from kanon_sql.kernels.instances.class_distance import class_costs
    from kanon_sql.kernels.instances.groups import GroupingWorkspace, frequent_sets
    from kanon_sql.kernels.instances.lagrangian import instance_gains, relaxed
    from kanon_sql.kernels.instances.listing import advance, expect, found, set_prices
    from kanon_sql.kernels.instances.refinement import refine
    from kanon_sql.kernels.instances.row_distance import distances, nearest_row_types
    from kanon_sql.kernels.instances.search import Search
    from kanon_sql.kernels.instances.support import list_members, of_row_types, of_some
