-- without_minus_zero(column): a column of source with 0.0 for -0.0, which a maximum has, wherever it is inside.

CASE WHEN system.main.regexp_matches(system.main.typeof(source.<column>), ''FLOAT|DOUBLE'')
    THEN system.main.list_extract(system.main.list_aggregate(system.main.list_value(system.main.list_value(source.<column>)), ''max''), 1)
    ELSE source.<column> END
