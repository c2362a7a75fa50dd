"""Classes by sets of known columns, and searches that hide and show single cells."""
