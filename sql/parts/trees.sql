-- trees(): the argument hierarchies as a query: for each hierarchy the column, and the cells of each of its rows.

CASE
    WHEN system.main.list_unique(system.main.list_transform(system.main.map_keys(hierarchies::MAP(VARCHAR,
        VARCHAR)), lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')))
         < system.main.cardinality(hierarchies::MAP(VARCHAR, VARCHAR))
    THEN system.main.error('kanon: hierarchies names a column twice')
    WHEN system.main.cardinality(hierarchies::MAP(VARCHAR, VARCHAR)) > 0
    THEN system.main.list_aggregate(
        system.main.list_transform(
            system.main.map_entries(hierarchies::MAP(VARCHAR, VARCHAR)),
            lambda entry: 'SELECT ''' || system.main.replace(entry['key'], '''', '''''') || ''' AS name,
            system.main.list_sort(system.main.list_value(*COLUMNS(*)), ''ASC'', ''NULLS LAST'') AS cells
     FROM (
         @tree_cells()
         FROM ' || @quoted_name(entry['value'])
            ELSE system.main.error(system.main.format('kanon: hierarchies names something that is not a table: {}',
                coalesce(entry['value'], 'NULL')))
        END || ' AS source
     ) AS source'), 'string_agg', ' UNION ALL ')
    ELSE 'SELECT NULL::VARCHAR AS name, NULL::STRUCT(step BIGINT, form VARCHAR, label BLOB)[] AS cells WHERE false'
END
