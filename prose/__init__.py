"""Check what people read: pages, help, errors, warnings, reports, and the docstrings of public names."""
