"""Solvers where classes have to hold rows of k people, who may have several rows each."""
