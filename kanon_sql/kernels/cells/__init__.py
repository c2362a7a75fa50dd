"""Loops over the cells of a table of counts: witnesses that no suppressed cell is disclosed."""

try:
    from kanon_sql.kernels._cells import *
except ModuleNotFoundError:
    from kanon_sql.kernels.cells.boxes import BoxSearch
    from kanon_sql.kernels.cells.circuits import CircuitSearch
    from kanon_sql.kernels.cells.plane_cuts import ONE, Planes, separate
    from kanon_sql.kernels.cells.planes import PlaneSearch
    from kanon_sql.kernels.cells.search_space import CellSpace
    from kanon_sql.kernels.cells.witness_store import WitnessStore, users
    from kanon_sql.kernels.cells.witnesses import find
