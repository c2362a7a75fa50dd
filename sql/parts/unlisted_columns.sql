-- unlisted_columns(): the CTEs of the columns without a role, and of those that single out too many rows; with keep, there may be no such column.

system.main.concat(system.main.format(
    '-- The columns without a role; and last a constant, so that there is one.
     "kanon names" AS MATERIALIZED (
         SELECT system.main.list_value(*COLUMNS(*)) AS names
         FROM (
             SELECT system.main.alias(COLUMNS(source.* EXCLUDE ({0})))
             FROM (SELECT 1) AS one
             LEFT JOIN (SELECT *, true AS "kanon one" FROM "kanon source" LIMIT 1) AS source ON true
         ) AS names
     ),
     ', system.main.struct_extract(given, 'roles')),
CASE
    WHEN keep IS NOT NULL THEN '"kanon singled" AS MATERIALIZED (
         SELECT CASE WHEN system.main.len(names) > 1 THEN system.main.error(system.main.concat(''kanon: the column '',
                    @spelled_column(system.main.list_extract(names, 1))
                    , '' has no role; nothing was released; hint: name it in keep, in qi or in drop'')) ELSE true END AS bearable
         FROM "kanon names"
         WHERE (SELECT settled FROM "kanon settled")
     ),'
    WHEN system.main.struct_extract(given, 'limit') = 1000000000000000000 THEN '"kanon singled" AS (SELECT true AS bearable),'
    ELSE system.main.format(
        '-- How many rows of each row type have each value of these columns (places from 1), and each combination of them (place 0).
         -- DuckDB''s own hash is used where it differs for different values, and follows no collation.
         "kanon held" AS MATERIALIZED (
             SELECT own, place, value, system.main.count(*) AS size
             FROM (
                 SELECT own, system.main.unnest(system.main.range(system.main.len("values"))) AS place,
                        system.main.unnest(system.main.list_concat(
                            system.main.list_value(system.main.hash("values")), system.main.list_slice("values", 1, -2))) AS value
                 FROM (
                     SELECT "kanon own" AS own, system.main.list_value(*COLUMNS(keys.* EXCLUDE ("kanon own"))) AS "values"
                     FROM (
                         SELECT system.main.hash(system.main.list_value({1})) AS "kanon own", CASE
                                WHEN system.main.regexp_full_match(system.main.typeof(COLUMNS(* EXCLUDE ({0}))),
                                    ''U?(TINY|SMALL|BIG)?INT(EGER)?|BOOLEAN|DATE|TIMESTAMP.*|FLOAT|DOUBLE|INTERVAL'')
                                THEN system.main.hash(COLUMNS(* EXCLUDE ({0})))
                                ELSE system.main.hash(system.main.create_sort_key(system.main.row(COLUMNS(* EXCLUDE ({0}))), ''ASC NULLS LAST''))
                                END
                         FROM (SELECT *, true AS "kanon one" FROM "kanon source") AS source
                         WHERE (SELECT system.main.len(names) > 1 FROM "kanon names") AND (SELECT settled FROM "kanon settled")
                     ) AS keys
                 ) AS keys
             ) AS held
             GROUP BY own, place, value
         ),
         "kanon alike" AS MATERIALIZED (
             SELECT place, value, system.main.sum(size) AS alike FROM "kanon held" GROUP BY place, value
         ),
         -- A value singles its rows out if fewer than k share it, at most 10, and at most one in 40 rows, but at least 2.
         "kanon singling" AS MATERIALIZED (
             @singled({2}; {3}; {4})
         ),
         "kanon singled" AS MATERIALIZED (
             @bearable("kanon singling")
         ),',
        system.main.struct_extract(given, 'roles'), system.main.struct_extract(given, 'cells'), system.main.struct_extract(given, 'k'),
        system.main.struct_extract(given, 'limit'), system.main.greatest(500000000000000000, system.main.struct_extract(given, 'limit')))
END)
