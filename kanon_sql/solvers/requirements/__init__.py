"""What every class must meet, as solvers need it: exact tests of classes, and the same encoded for kernels."""
