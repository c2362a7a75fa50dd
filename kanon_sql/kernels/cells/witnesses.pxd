cimport cython
from kanon_sql.kernels.cells.boxes cimport BoxSearch, apply, search
from kanon_sql.kernels.cells.circuits cimport search_circuit
from kanon_sql.kernels.cells.planes cimport search_planes
from kanon_sql.kernels.cells.search_space cimport CellSpace
from kanon_sql.kernels.cells.witness_store cimport WitnessStore
