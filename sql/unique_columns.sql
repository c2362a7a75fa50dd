-- unique_columns(tbl, n, qi := NULL): the sets of at most n columns, and the share of the rows that each singles out.
--
-- A row is singled out by a set of columns if no other row has its values there. NULL is a value like any other.
--
-- Arguments:
--   tbl   VARCHAR     name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                     'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   n     INTEGER     the greatest number of columns in a set
--   qi    VARCHAR[]   the columns to combine; by default every column. Case does not matter, as everywhere in SQL.
--
-- Result columns (one row per set; no order is promised):
--   columns       VARCHAR[]  the set
--   singled_out   BIGINT     rows with values there that no other row has; estimated from one part of the combinations where rows
--                            times sets are more than 8 million
--   share         DOUBLE     of the rows; NULL for an empty table
--
-- Cost: a hash of every row for each set; m columns have m (m - 1) / 2 sets of two.
CREATE OR REPLACE MACRO unique_columns(tbl, n, qi := NULL) AS TABLE
FROM system.main.query(system.main.format(
    'WITH "kanon#hashed" AS MATERIALIZED (
         -- DuckDB''s own hash is one for an empty list, a list of NULL, and NULL, for 0 and -1 as HUGEINT, and under some collations
         SELECT system.main.list_value(*COLUMNS(*)) AS v
         FROM (
             SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''VARCHAR|TUPLE\(|VARIANT|HUGEINT|DECIMAL\((19|[23][0-9])|\[|MAP\(|UNION\(|STRUCT\('')
                 THEN system.main.hash(system.main.create_sort_key(system.main.row(COLUMNS(*)), ''ASC NULLS LAST'')) ELSE system.main.hash(COLUMNS(*)) END
             FROM (
                 -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
                 SELECT * FROM (SELECT {1} FROM {0} AS source) AS "kanon#s"
                 WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''VARIANT|INTERVAL\[|.(STRUCT|TUPLE|MAP|UNION)\(.*INTERVAL'')
                 UNION ALL
                 SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''INTERVAL|VARIANT'')
                     THEN system.main.first(COLUMNS(*)) OVER (
                         PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(*))) ORDER BY CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                     ELSE COLUMNS(*) END
                 FROM (SELECT {1} FROM {0} AS source) AS "kanon#s"
                 WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''VARIANT|INTERVAL\[|.(STRUCT|TUPLE|MAP|UNION)\(.*INTERVAL'')
             ) AS source
         )
     ), "kanon#names" AS MATERIALIZED (
         SELECT system.main.list_value(*COLUMNS(*)) AS names FROM (
                 SELECT system.main.alias(COLUMNS(* EXCLUDE ("kanon#one")))
                 FROM (SELECT 1 AS "kanon#one") LEFT JOIN (SELECT {1} FROM {0} AS source LIMIT 1) ON true
             )
     ), "kanon#sets" AS (
         WITH RECURSIVE "kanon#chosen" AS (
             SELECT [i] AS chosen FROM (SELECT system.main.unnest(system.main.range(1, system.main.len(names) + 1)) AS i FROM "kanon#names")
             UNION ALL
             SELECT system.main.list_concat(chosen, [i])
             FROM "kanon#chosen", (SELECT system.main.unnest(system.main.range(1, system.main.len(names) + 1)) AS i FROM "kanon#names")
             WHERE i > chosen[-1] AND system.main.len(chosen) < {2}
         )
         FROM "kanon#chosen"
     ), "kanon#numbered" AS MATERIALIZED (
         SELECT chosen, "rows", (1 + "rows" * system.main.count(*) OVER () // 8000000)::UBIGINT AS parts
         FROM "kanon#sets", (SELECT system.main.count(*) AS "rows" FROM "kanon#hashed")
     )
     SELECT system.main.list_select(names, chosen) AS "columns", singled_out,
            singled_out / system.main.nullif("rows", 0) AS share
     FROM (
         SELECT chosen, "rows", system.main.least(parts * system.main.count(CASE WHEN n = 1 THEN 1 END), "rows")::BIGINT AS singled_out
         FROM (
             SELECT chosen, "rows", parts, system.main.count(h) AS n
             FROM "kanon#numbered" LEFT JOIN (
                 SELECT chosen AS own, h FROM (
                     SELECT chosen, parts, system.main.hash(system.main.list_select(v, chosen)) AS h FROM "kanon#hashed", "kanon#numbered"
                 ) WHERE h % parts = 0
             ) ON own = chosen
             GROUP BY chosen, "rows", parts, h
         )
         GROUP BY chosen, "rows", parts
     ), "kanon#names"',
    CASE system.main.list_aggregate(
            system.main.regexp_extract_all(tbl::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[1:3],
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
    CASE WHEN n >= 1 THEN system.main.least(n::BIGINT, 60)::VARCHAR
        ELSE system.main.error('kanon: n is the greatest number of columns of a set, at least 1')
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
