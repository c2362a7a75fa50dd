"""Loops that put the labels of one attribute, or of two coordinates, into groups."""

try:
    from kanon_sql.kernels._labels import *
except ModuleNotFoundError:
    from kanon_sql.kernels.labels.bin_filling import to_lightest
    from kanon_sql.kernels.labels.bin_subsets import lightest_bins
    from kanon_sql.kernels.labels.bin_swaps import even_out
    from kanon_sql.kernels.labels.connected_subsets import connected_sets
    from kanon_sql.kernels.labels.contraction import lumps
    from kanon_sql.kernels.labels.degree_walk import lower_degrees
    from kanon_sql.kernels.labels.graphs import Graph, depth_first, graph_of, shuffled
    from kanon_sql.kernels.labels.guillotine import least_squares_cuts, lightest_around
    from kanon_sql.kernels.labels.intervals import least_squares, reachable
    from kanon_sql.kernels.labels.kd_tree import divide
    from kanon_sql.kernels.labels.random_recut import recut
    from kanon_sql.kernels.labels.spanning import leaves_first
    from kanon_sql.kernels.labels.tree_cut import cut_tree
    from kanon_sql.kernels.labels.two_word_sums import plus, square
