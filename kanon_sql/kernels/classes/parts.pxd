cimport cython
from kanon_sql.kernels.classes.partition cimport CandidateClasses
