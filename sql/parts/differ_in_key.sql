-- differ_in_key(): whether two rows have other values in a column, or in one of two.

system.main.list_extract(one.codes, first) IS DISTINCT FROM system.main.list_extract(two.codes, first)
    OR system.main.list_extract(one.codes, second) IS DISTINCT FROM system.main.list_extract(two.codes, second)
