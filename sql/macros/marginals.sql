-- marginals(released, original, n := 2, qi := NULL, hierarchies := NULL, suppress := '*', bins := 32): the distance of the tables of counts.
--
-- For each set of so many columns, both tables are counted by the values of these columns. The distance is the total variation of the two
-- distributions: half the sum over all cells of |share of the release - share of the source|. It is 0 if they are equal, and 1 if they
-- have no cell in common. It is the k-marginal measure of NIST's SDNist, whose score is 1000 * (1 - avg(distance)).
-- joint_tables() says how labels and suppressed cells are spread, and how columns with many values are cut.
--
-- Arguments:
--   released, original, n, hierarchies, suppress, bins   as for joint_tables()
--   qi   VARCHAR[]   the columns to compare, by their names in both tables; NULL takes every column of the source.
--                    The columns of a CTE have to be named.
--
-- Result columns (one row per set; no order is promised):
--   columns    VARCHAR[]   the set
--   cells      BIGINT      cells in which either table has rows
--   distance   DOUBLE      see above
--
-- Errors: the tables differ in the number of rows, or one lacks a column.
--
-- Cost: that of joint_tables: each table is read once; for each set a GROUP BY of all rows.
CREATE OR REPLACE MACRO marginals(released, original, n := 2, qi := NULL, hierarchies := NULL, suppress := '*', bins := 32) AS TABLE
FROM system.main.query(system.main.format(
    'SELECT columns, system.main.count(*) AS cells,
            system.main.sum(system.main.abs(original - released)) / (2 * system.main.any_value(n)) AS distance
     FROM joint_tables({0}, {1}, {2}, n := {6}, hierarchies := {3}, suppress := {4}, bins := {5})
     GROUP BY columns',
    @joint_table_arguments()
    ,
    coalesce(n::BIGINT::VARCHAR, 'NULL'),
    @built_in()
));
