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
             @to_hash(SELECT {1} FROM {0} AS source; ; COLUMNS(*))
         )
     ), "kanon#names" AS MATERIALIZED (
         @names(SELECT {1} FROM {0} AS source)
     ), "kanon#sets" AS (
         @sets({2})
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
    @table(tbl),
    @all_quasi_identifiers(),
    @most_columns(),
    @built_in()
));
