"""Tables in files: where they lie, and how they are read and written."""
