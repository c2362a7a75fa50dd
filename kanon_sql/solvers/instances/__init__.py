"""Pattern instances and what is built on them: candidates, programs, partitions and the final repair."""
