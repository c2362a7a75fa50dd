"""Mixed-integer programs as arrays, and the classes of a table in them."""
