"""Loops over equivalence classes that show the range or the set of their values."""

try:
    from kanon_sql.kernels._summaries import *
except ModuleNotFoundError:
    from kanon_sql.kernels.summaries.blocks import BLOCK, GROUP
    from kanon_sql.kernels.summaries.cuts import cut_parts
    from kanon_sql.kernels.summaries.destroy_repair import rebuild
    from kanon_sql.kernels.summaries.histograms import Histograms
    from kanon_sql.kernels.summaries.measure import PLAIN, RANGE, SET, Measure, class_losses
    from kanon_sql.kernels.summaries.nearest_row_types import nearest
    from kanon_sql.kernels.summaries.neighbourhoods import Classes, Shape
