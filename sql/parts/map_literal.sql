-- map_literal(map): a MAP of VARCHAR to VARCHAR as SQL.

CASE WHEN <map> IS NULL THEN 'NULL' ELSE system.main.format('system.main.map({}, {})',
    @list_literal(system.main.map_keys(<map>::MAP(VARCHAR, VARCHAR)); name)
    ,
    @list_literal(system.main.map_values(<map>::MAP(VARCHAR, VARCHAR)); name)
    ) END
