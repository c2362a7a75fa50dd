-- suda_scores(tbl, n := 3, qi := NULL): how special each row is: the scores of SUDA.
--
-- A minimal sample unique (MSU) of a row is a set of columns that singles it out, and of which no part does. With m columns and sets of
-- at most M = min(n, m - 1) of them, an MSU of k columns counts (m - k) (m - k - 1) ... (m - M): the fewer columns, the more.
-- These are the scores of Elliot et al., "SUDA: A program for detecting special uniques" (2005), as sdcMicro computes them by default.
--
-- Arguments:
--   tbl   VARCHAR     name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                     'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   n     INTEGER     the greatest number of columns in a set
--   qi    VARCHAR[]   the columns to combine; by default every column. Case does not matter, as everywhere in SQL.
--
-- Result columns: those of the table, and
--   suda_score    DOUBLE     the sum over the MSUs of the row; 0 where it has none
--
-- Cost: a hash of every row for each set; for tables of up to a hundred thousand rows.
CREATE OR REPLACE MACRO suda_scores(tbl, n := 3, qi := NULL) AS TABLE
FROM system.main.query(system.main.format(
    'WITH "kanon#rows" AS MATERIALIZED (
         SELECT *, system.main.row_number() OVER () AS "kanon#row" FROM {0}
     ), "kanon#names" AS MATERIALIZED (
         SELECT system.main.list_value(*COLUMNS(*)) AS names FROM (
                 SELECT system.main.alias(COLUMNS(* EXCLUDE ("kanon#one")))
                 FROM (SELECT 1 AS "kanon#one") LEFT JOIN (SELECT {1} FROM {0} AS source LIMIT 1) ON true
             )
     ), "kanon#hashed" AS MATERIALIZED (
         -- DuckDB''s own hash is one for an empty list, a list of NULL, and NULL, for 0 and -1 as HUGEINT, and under some collations
         SELECT "kanon#row", system.main.list_value(*COLUMNS(* EXCLUDE ("kanon#row"))) AS v
         FROM (
             SELECT "kanon#row", CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(* EXCLUDE ("kanon#row"))), ''VARCHAR|TUPLE\(|VARIANT|HUGEINT|DECIMAL\((19|[23][0-9])|\[|MAP\(|UNION\(|STRUCT\('')
                 THEN system.main.hash(system.main.create_sort_key(system.main.row(COLUMNS(* EXCLUDE ("kanon#row"))), ''ASC NULLS LAST'')) ELSE system.main.hash(COLUMNS(* EXCLUDE ("kanon#row"))) END
             FROM (
                 -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
                 SELECT * FROM (SELECT "kanon#row", {1} FROM "kanon#rows" AS source) AS "kanon#s"
                 WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''VARIANT|INTERVAL\[|.(STRUCT|TUPLE|MAP|UNION)\(.*INTERVAL'')
                 UNION ALL
                 SELECT "kanon#row", CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(* EXCLUDE ("kanon#row"))), ''INTERVAL|VARIANT'')
                     THEN system.main.first(COLUMNS(* EXCLUDE ("kanon#row"))) OVER (
                         PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(* EXCLUDE ("kanon#row")))) ORDER BY CAST(COLUMNS(* EXCLUDE ("kanon#row")) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                     ELSE COLUMNS(* EXCLUDE ("kanon#row")) END
                 FROM (SELECT "kanon#row", {1} FROM "kanon#rows" AS source) AS "kanon#s"
                 WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''VARIANT|INTERVAL\[|.(STRUCT|TUPLE|MAP|UNION)\(.*INTERVAL'')
             ) AS source
         )
     ), "kanon#sets" AS (
         WITH RECURSIVE "kanon#chosen" AS (
             SELECT [i] AS chosen FROM (SELECT system.main.unnest(system.main.range(1, system.main.len(names) + 1)) AS i FROM "kanon#names")
             UNION ALL
             SELECT system.main.list_concat(chosen, [i])
             FROM "kanon#chosen", (SELECT system.main.unnest(system.main.range(1, system.main.len(names) + 1)) AS i FROM "kanon#names")
             WHERE i > chosen[-1] AND system.main.len(chosen) < system.main.least({2}, (SELECT system.main.greatest(system.main.len(names) - 1, 1) FROM "kanon#names"))
         )
         FROM "kanon#chosen"
     ), "kanon#unique" AS MATERIALIZED (
         SELECT chosen, system.main.any_value("kanon#row") AS "row"
         FROM "kanon#hashed", "kanon#sets"
         GROUP BY chosen, system.main.hash(system.main.list_select(v, chosen))
         HAVING system.main.count(*) = 1
     ), "kanon#scored" AS (
         -- minimal sample uniques: no part of the set singles the row out
         SELECT "row", system.main.sum(system.main.list_aggregate(system.main.list_transform(
                    system.main.range(system.main.len(chosen), system.main.least({2}, system.main.greatest(system.main.len(names) - 1, 1)) + 1),
                    lambda i: system.main.greatest(system.main.len(names) - i, 1)), ''product'')) AS score
         FROM "kanon#unique" AS one, "kanon#names"
         WHERE NOT EXISTS (
             FROM "kanon#unique" AS part
             WHERE part."row" = one."row" AND system.main.len(part.chosen) < system.main.len(one.chosen)
               AND system.main.list_has_all(one.chosen, part.chosen)
         )
         GROUP BY "row"
     )
     SELECT "kanon#r".* EXCLUDE ("kanon#row"), coalesce(score, 0) AS suda_score
     FROM "kanon#rows" AS "kanon#r" LEFT JOIN "kanon#scored" ON "row" = "kanon#row"',
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
