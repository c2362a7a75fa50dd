"""Loops over equivalence classes that meet requirements on sensitive values."""

try:
    from kanon_sql.kernels._requirements import *
except ModuleNotFoundError:
    from kanon_sql.kernels.requirements.assignment import (
        Assignment,
        AssignmentSearchSpace,
        assign,
        assign_all,
        instances_of,
        unassign,
    )
    from kanon_sql.kernels.requirements.assignment_list import AssignmentList
    from kanon_sql.kernels.requirements.candidates import Candidates, by_group, sort_all
    from kanon_sql.kernels.requirements.destroy_repair import rebuild
    from kanon_sql.kernels.requirements.donors import Donors, repair
    from kanon_sql.kernels.requirements.greedy import Greedy, take_pieces
    from kanon_sql.kernels.requirements.growth import Growth, grow
    from kanon_sql.kernels.requirements.guided_opening import open_classes
    from kanon_sql.kernels.requirements.lagrangian import Relaxed, advance, gains
    from kanon_sql.kernels.requirements.largest_part import largest_parts
    from kanon_sql.kernels.requirements.limits import Limits
    from kanon_sql.kernels.requirements.neighbourhood import Neighbourhood
    from kanon_sql.kernels.requirements.pricing import cover
    from kanon_sql.kernels.requirements.selection import Selection
    from kanon_sql.kernels.requirements.sized_lagrangian import BestClass, advance_sized, sized_gains
    from kanon_sql.kernels.requirements.top_down import split
