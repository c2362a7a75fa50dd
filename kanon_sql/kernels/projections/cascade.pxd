from kanon_sql.kernels.projections.classes cimport SetClasses, crowded, fails, key_of, place_of, short_of, toggle
