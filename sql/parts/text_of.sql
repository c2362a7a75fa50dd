-- text_of(value): a value as the text that a reader sees.

CAST(CASE WHEN system.main.regexp_matches(system.main.typeof(<value>), ''FLOAT|DOUBLE'')
        -- a maximum has 0.0 for -0.0, wherever it is inside
        THEN system.main.list_extract(system.main.list_aggregate(system.main.list_value(system.main.list_value(<value>)), ''max''), 1)
        ELSE <value> END AS VARCHAR)
