-- intersection_risk(first, second, key, qi, k := 5): what two releases of the same people give away together.
--
-- Who knows in which equivalence class a person is in each release knows that the person is among those who are in both classes: the
-- candidates. For each person in both releases these are counted; where a person has several rows, for each pair of a class of
-- the first and a class of the second, and the fewest count. Each release may be k-anonymous, and a person still be alone.
-- It takes tables that still have the key: measure before the key is dropped.
-- NULL is a value like any other in a quasi-identifier; an empty key is nobody. Keys are compared as texts, quasi-identifiers byte
-- by byte whatever the collation of the column.
--
-- Arguments:
--   first, second   VARCHAR     names of tables, views, CTEs or quoted files, optionally qualified: 'patients', 'main.patients',
--                               'db.schema.t', '"odd ""name"'. They are read as identifiers, never as SQL.
--   key             VARCHAR     the column that tells people apart, in both
--   qi              VARCHAR[]   the quasi-identifiers, in both. Case does not matter, as everywhere in SQL.
--   k               INTEGER     fewer candidates than that are counted
--
-- Result columns (one row; all but people, alone and below_k are NULL where nobody is in both):
--   people                BIGINT   people in both releases
--   smallest_in_first     BIGINT   the fewest people in a class of the first release in which one of them is
--   smallest_in_second    BIGINT   the same of the second
--   smallest_candidates   BIGINT   the fewest candidates of a person
--   average_candidates    DOUBLE   of all these people
--   average_risk          DOUBLE   how often who draws one of the candidates finds the person
--   alone                 BIGINT   people who are their only candidate
--   below_k               BIGINT   people with fewer than k candidates
--   share_below_k         DOUBLE   of the people
--
-- Cost: one scan and one GROUP BY of each table, a join and a window.
CREATE OR REPLACE MACRO intersection_risk(first, second, key, qi, k := 5) AS TABLE
FROM system.main.query(system.main.format(
    'SELECT system.main.count(*) AS people,
            system.main.min(in_first)::BIGINT AS smallest_in_first,
            system.main.min(in_second)::BIGINT AS smallest_in_second,
            system.main.min(candidates)::BIGINT AS smallest_candidates,
            system.main.avg(candidates) AS average_candidates,
            system.main.avg(1::DOUBLE / candidates) AS average_risk,
            system.main.count(*) FILTER (candidates = 1) AS alone,
            system.main.count(*) FILTER (candidates < {4}) AS below_k,
            CASE WHEN system.main.count(*) > 0
                THEN (system.main.count(*) FILTER (candidates < {4}))::DOUBLE / system.main.count(*) END AS share_below_k
     FROM (
         SELECT system.main.min(in_first) AS in_first, system.main.min(in_second) AS in_second,
                system.main.min(candidates) AS candidates
         FROM (
             SELECT person, in_first, in_second, system.main.count(*) OVER (PARTITION BY class, other_class) AS candidates
             FROM (
                 SELECT *, system.main.count(*) OVER (PARTITION BY class) AS in_first
                 FROM (
                     SELECT DISTINCT system.main.create_sort_key(system.main.row(CAST(CASE WHEN system.main.regexp_matches(system.main.typeof("kanon#key"), ''FLOAT|DOUBLE'')
                                    -- a maximum has 0.0 for -0.0, wherever it is inside
                                    THEN system.main.list_extract(system.main.list_aggregate(system.main.list_value(system.main.list_value("kanon#key")), ''max''), 1)
                                    ELSE "kanon#key" END AS VARCHAR)), ''ASC NULLS FIRST'') AS person,
                            system.main.create_sort_key(system.main.row(*COLUMNS(* EXCLUDE ("kanon#key"))), ''ASC NULLS FIRST'') AS class
                     FROM (
                         -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
                         SELECT * FROM (SELECT source.{3} AS "kanon#key", {0} FROM {1} AS source WHERE source.{3} IS NOT NULL) AS "kanon#s"
                         WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                         UNION ALL
                         SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''INTERVAL|VARIANT'')
                             THEN system.main.first(COLUMNS(*)) OVER (
                                 PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(*))) ORDER BY CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                             ELSE COLUMNS(*) END
                         FROM (SELECT source.{3} AS "kanon#key", {0} FROM {1} AS source WHERE source.{3} IS NOT NULL) AS "kanon#s"
                         WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                     ) AS source
                 )
             )
             JOIN (
                 SELECT *, system.main.count(*) OVER (PARTITION BY other_class) AS in_second
                 FROM (
                     SELECT DISTINCT system.main.create_sort_key(system.main.row(CAST(CASE WHEN system.main.regexp_matches(system.main.typeof("kanon#key"), ''FLOAT|DOUBLE'')
                                    -- a maximum has 0.0 for -0.0, wherever it is inside
                                    THEN system.main.list_extract(system.main.list_aggregate(system.main.list_value(system.main.list_value("kanon#key")), ''max''), 1)
                                    ELSE "kanon#key" END AS VARCHAR)), ''ASC NULLS FIRST'') AS person,
                            system.main.create_sort_key(system.main.row(*COLUMNS(* EXCLUDE ("kanon#key"))), ''ASC NULLS FIRST'') AS other_class
                     FROM (
                         -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
                         SELECT * FROM (SELECT source.{3} AS "kanon#key", {0} FROM {2} AS source WHERE source.{3} IS NOT NULL) AS "kanon#s"
                         WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                         UNION ALL
                         SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''INTERVAL|VARIANT'')
                             THEN system.main.first(COLUMNS(*)) OVER (
                                 PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(*))) ORDER BY CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                             ELSE COLUMNS(*) END
                         FROM (SELECT source.{3} AS "kanon#key", {0} FROM {2} AS source WHERE source.{3} IS NOT NULL) AS "kanon#s"
                         WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                     ) AS source
                 )
             ) USING (person)
         )
         GROUP BY person
     )',
    CASE
        WHEN qi IS NULL THEN system.main.error('kanon: qi is NULL (name the quasi-identifiers)')
        WHEN system.main.len(qi::VARCHAR[]) = 0
            THEN system.main.error('kanon: qi is an empty list (name the quasi-identifiers)')
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
            system.main.regexp_extract_all(first::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
            'string_agg', '.')
        WHEN system.main.nullif(first::VARCHAR, '')
        THEN system.main.list_aggregate(
            system.main.list_transform(system.main.regexp_extract_all(first::VARCHAR,
                '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'), lambda part: CASE WHEN system.main.starts_with(part, '"')
                    THEN part ELSE '"' || part || '"' END),
             'string_agg', '.')
        ELSE system.main.error(system.main.format('kanon: first is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(first::VARCHAR, 'NULL')))
    END,
    CASE system.main.list_aggregate(
            system.main.regexp_extract_all(second::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
            'string_agg', '.')
        WHEN system.main.nullif(second::VARCHAR, '')
        THEN system.main.list_aggregate(
            system.main.list_transform(system.main.regexp_extract_all(second::VARCHAR,
                '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'), lambda part: CASE WHEN system.main.starts_with(part, '"')
                    THEN part ELSE '"' || part || '"' END),
             'string_agg', '.')
        ELSE system.main.error(system.main.format('kanon: second is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(second::VARCHAR, 'NULL')))
    END,
    CASE WHEN coalesce(key::VARCHAR, '') = '' THEN system.main.error('kanon: key is no column name')
        ELSE '"' || system.main.replace(coalesce(key::VARCHAR, ''), '"', '""') || '"' END,
    CASE WHEN coalesce(k::BIGINT, 0) < 1 THEN system.main.error('kanon: k must be a whole number above 0') ELSE k::BIGINT END,
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
