"""Protected tables of a DataFrame."""
