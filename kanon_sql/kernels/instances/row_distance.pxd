from kanon_sql.kernels.instances.bit_slices cimport Agreement, Values, compare, next_taken, take_nearest
