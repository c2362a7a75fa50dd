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
                     SELECT DISTINCT system.main.create_sort_key(system.main.row(@text_of("kanon#key")), ''ASC NULLS FIRST'') AS person,
                            system.main.create_sort_key(system.main.row(*COLUMNS(* EXCLUDE ("kanon#key"))), ''ASC NULLS FIRST'') AS class
                     FROM (
                         @spelled(SELECT source.{3} AS "kanon#key", {0} FROM {1} AS source WHERE source.{3} IS NOT NULL)
                     ) AS source
                 )
             )
             JOIN (
                 SELECT *, system.main.count(*) OVER (PARTITION BY other_class) AS in_second
                 FROM (
                     SELECT DISTINCT system.main.create_sort_key(system.main.row(@text_of("kanon#key")), ''ASC NULLS FIRST'') AS person,
                            system.main.create_sort_key(system.main.row(*COLUMNS(* EXCLUDE ("kanon#key"))), ''ASC NULLS FIRST'') AS other_class
                     FROM (
                         @spelled(SELECT source.{3} AS "kanon#key", {0} FROM {2} AS source WHERE source.{3} IS NOT NULL)
                     ) AS source
                 )
             ) USING (person)
         )
         GROUP BY person
     )',
    @quasi_identifiers(system.main.error('kanon: qi is NULL (name the quasi-identifiers)'); name the quasi-identifiers),
    @table(first),
    @table(second),
    CASE WHEN coalesce(key::VARCHAR, '') = '' THEN system.main.error('kanon: key is not a column name')
        ELSE '"' || system.main.replace(coalesce(key::VARCHAR, ''), '"', '""') || '"' END,
    CASE WHEN coalesce(k::BIGINT, 0) < 1 THEN system.main.error('kanon: k must be a whole number above 0') ELSE k::BIGINT END,
    @built_in()
));
