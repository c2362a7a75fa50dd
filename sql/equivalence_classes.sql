-- equivalence_classes(tbl, qi := NULL): the equivalence classes of a table, one row per class.
--
-- Two rows are in one class if they agree in every quasi-identifier.
-- NULL is a value like any other: rows that are NULL in the same column are alike there. Text is compared byte by byte
-- whatever the collation of the column ('a' and 'A' are two values even under NOCASE), because the reader sees bytes.
--
-- Arguments:
--   tbl   VARCHAR     name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                     'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   qi    VARCHAR[]   the quasi-identifiers; by default every column. Case does not matter, as everywhere in SQL.
--
-- Result columns:
--   the quasi-identifiers, with their own names and types, in the order of qi
--   class_size   BIGINT   number of rows of the class, always the last column
--                         (called class_size_1 if a quasi-identifier is itself named class_size)
--
-- Cost: one scan, one GROUP BY. No order is promised.
CREATE OR REPLACE MACRO equivalence_classes(tbl, qi := NULL) AS TABLE
FROM system.main.query(system.main.format(
    'SELECT * EXCLUDE ("equivalence class")
     FROM (
         SELECT system.main.create_sort_key(system.main.row(*COLUMNS(*)), ''ASC NULLS FIRST'') AS "equivalence class",
                -- of 0.0 and -0.0 the one whose text is the last
                system.main.arg_max(COLUMNS(*), CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''FLOAT|DOUBLE'')
                    THEN CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" ELSE '''' END),
                system.main.count(*) AS class_size
         FROM (
             -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
             SELECT * FROM (SELECT {0} FROM {1} AS source) AS "kanon#s"
             WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
             UNION ALL
             SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''INTERVAL|VARIANT'')
                 THEN system.main.first(COLUMNS(*)) OVER (
                     PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(*))) ORDER BY CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                 ELSE COLUMNS(*) END
             FROM (SELECT {0} FROM {1} AS source) AS "kanon#s"
             WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
         ) AS source
         GROUP BY 1
     ) AS classes',
    CASE
        WHEN qi IS NULL THEN 'source.*'
        WHEN system.main.len(qi::VARCHAR[]) = 0
            THEN system.main.error('kanon: qi is an empty list (leave it out to take every column)')
        WHEN system.main.list_aggregate(qi::VARCHAR[], 'count') < system.main.len(qi::VARCHAR[])
            THEN system.main.error('kanon: qi holds NULL instead of a column name')
        WHEN system.main.list_unique(system.main.list_transform(qi::VARCHAR[],
            lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))) < system.main.len(qi::VARCHAR[])
        THEN system.main.error('kanon: qi names a column twice')
        ELSE system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[],
            lambda name: 'source."' || system.main.replace(name, '"', '""') || '"'),
                                        'string_agg', ', ')
    END,
    CASE system.main.list_aggregate(
            system.main.regexp_extract_all(tbl::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
            'string_agg', '.')
        WHEN system.main.nullif(tbl::VARCHAR, '')
        THEN system.main.list_aggregate(
            system.main.list_transform(system.main.regexp_extract_all(tbl::VARCHAR,
                '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'), lambda part: CASE WHEN system.main.starts_with(part, '"')
                    THEN part ELSE '"' || part || '"' END),
             'string_agg', '.')
        ELSE system.main.error(system.main.format('kanon: tbl is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(tbl::VARCHAR, 'NULL')))
    END,
    -- Not used in the text: an error where a macro of the database takes the place of a function behind its syntax.
    system.main.list_transform(
        system.main.list_filter(
            system.main.list_value(
                '%', '*', '+', '-', '/', '//', '<<', '||', 'list_filter', 'list_value', 'map', 'struct_pack', 'unpivot_list'),
            lambda name: system.main.contains(
                system.main.json_serialize_plan(system.main.format('SELECT "{}"(DISTINCT 1)', name))::VARCHAR,
                'is a Scalar Function') IS NOT TRUE),
        lambda name: system.main.error(
            system.main.format('kanon: the macro {} takes the place of a built-in function (drop or rename it)', name)))::VARCHAR
));
