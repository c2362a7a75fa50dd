"""Classes by sets of known columns, and searches that hide and show single cells."""

try:
    from kanon_sql.kernels._projections import *
except ModuleNotFoundError:
    from kanon_sql.kernels.projections.cascade import hide_each, note_rare, short, small_by_column, toggled
    from kanon_sql.kernels.projections.cell_search import search
    from kanon_sql.kernels.projections.classes import SetClasses
    from kanon_sql.kernels.projections.failing import failing_after, fitting_rows, key_by, short_in
    from kanon_sql.kernels.projections.relaxation import Relaxation, moved, relaxed
    from kanon_sql.kernels.projections.repair import best_change, turn
