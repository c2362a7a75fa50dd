-- all_quasi_identifiers(): the quasi-identifiers as columns of source; by default every column.

@quasi_identifiers('source.*'; leave it out to take every column)
