from kanon_sql.kernels.projections.classes cimport SetClasses, crowded, key_of, keys_by, place_of
from kanon_sql.kernels.projections.shortfall cimport fails, short_of, toggle
