"""Loops over equivalence classes that show the means of their numbers."""

try:
    from kanon_sql.kernels._microaggregation import *
except ModuleNotFoundError:
    from kanon_sql.kernels.microaggregation.class_prices import priced_above_loss
    from kanon_sql.kernels.microaggregation.destroy_repair import rebuild
    from kanon_sql.kernels.microaggregation.exchange import sweep
    from kanon_sql.kernels.microaggregation.groups import PointPartition, Points
    from kanon_sql.kernels.microaggregation.mdav import divide
    from kanon_sql.kernels.microaggregation.nearest_places import Places, nearest
    from kanon_sql.kernels.microaggregation.new_classes import RebuildWorkspace
