-- propensity(released, original, n := 2, qi := NULL, hierarchies := NULL, suppress := '*', bins := 32): how well a model separates the two tables.
--
-- The rows of both tables are put together, and a model predicts from their cells which rows are released. The model is saturated: it has
-- a parameter for each cell of the table of counts of a set of columns. pmse is its propensity score mean-squared error: the mean
-- over all rows of (share of released rows in the cell - 1/2)^2. It is 0 if nothing separates the tables, and 1/4 if everything does
-- (Woo, Reiter, Oganian, Karr 2009; Snoke, Raab, Nowok, Dibben, Slavkovic 2018). ratio divides it by what is to be expected if the
-- release were drawn anew from the distribution of the source: (cells - 1) / (8 * rows of both). It is that of synthpop's utility.tables().
-- joint_tables() says how labels and suppressed cells are spread, and how columns with many values are cut.
--
-- Arguments:
--   released, original, n, hierarchies, suppress, bins   as for joint_tables()
--   qi   VARCHAR[]   the columns to compare, by their names in both tables; NULL takes every column of the source.
--                    The columns of a CTE have to be named.
--
-- Result columns (one row per set; no order is promised):
--   columns   VARCHAR[]   the set
--   cells     BIGINT      cells in which either table has rows
--   pmse      DOUBLE      see above
--   ratio     DOUBLE      see above; NULL if there is one cell
--
-- Errors: the tables differ in the number of rows, or one lacks a column.
--
-- Cost: that of joint_tables: each table is read once; for each set a GROUP BY of all rows.
CREATE OR REPLACE MACRO propensity(released, original, n := 2, qi := NULL, hierarchies := NULL, suppress := '*', bins := 32) AS TABLE
FROM system.main.query(system.main.format(
    'SELECT columns, cells, pmse, CASE WHEN cells > 1 THEN pmse * 16 * n / (cells - 1) END AS ratio
     FROM (
         SELECT columns, system.main.count(*) AS cells, system.main.any_value(n) AS n,
                system.main.sum((released - original) * (released - original) / (released + original)) / (8 * system.main.any_value(n)) AS pmse
         FROM joint_tables({0}, {1}, {2}, n := {6}, hierarchies := {3}, suppress := {4}, bins := {5})
         GROUP BY columns
     ) AS measured',
    @joint_table_arguments()
    ,
    coalesce(n::BIGINT::VARCHAR, 'NULL'),
    @built_in()
));
