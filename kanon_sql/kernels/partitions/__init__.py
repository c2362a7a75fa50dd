"""Loops that divide a table: cuts, subsets, balls, pairs and triples of rows."""

try:
    from kanon_sql.kernels._partitions import *
except ModuleNotFoundError:
    from kanon_sql.kernels.partitions.balls import alike_first, best_balls, distances
    from kanon_sql.kernels.partitions.duals import Duals
    from kanon_sql.kernels.partitions.forest import Forest, cut_forest
    from kanon_sql.kernels.partitions.median_cut import cut_parts
    from kanon_sql.kernels.partitions.simplex_pricing import pairs_below, triples_below
    from kanon_sql.kernels.partitions.simplices import FORBIDDEN, TRIPLE_SURCHARGE_BITS, Simplices, class_costs, nearest
    from kanon_sql.kernels.partitions.subset_dp import IMPOSSIBLE, cheapest_partitions, class_agreements, first_fitting
    from kanon_sql.kernels.partitions.top_down import split_classes
