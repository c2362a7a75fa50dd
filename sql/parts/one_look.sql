-- one_look(column): a column of source with one look for intervals that are equal, the one whose text is last.

CASE WHEN system.main.regexp_matches(system.main.typeof(source.<column>), ''INTERVAL|VARIANT'')
    THEN system.main.first(source.<column>) OVER (
        PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(source.<column>))
        ORDER BY CAST(source.<column> AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
    ELSE source.<column> END
