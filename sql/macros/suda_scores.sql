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
         @names(SELECT {1} FROM {0} AS source)
     ), "kanon#hashed" AS MATERIALIZED (
         -- DuckDB''s own hash is one for an empty list, a list of NULL, and NULL, for 0 and -1 as HUGEINT, and under some collations
         SELECT "kanon#row", system.main.list_value(*COLUMNS(* EXCLUDE ("kanon#row"))) AS v
         FROM (
             @to_hash(SELECT "kanon#row", {1} FROM "kanon#rows" AS source; "kanon#row", ; COLUMNS(* EXCLUDE ("kanon#row")))
         )
     ), "kanon#sets" AS (
         @sets(system.main.least({2}, (SELECT system.main.greatest(system.main.len(names) - 1, 1) FROM "kanon#names")))
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
    @table(tbl),
    @all_quasi_identifiers(),
    @most_columns(),
    @built_in()
));
