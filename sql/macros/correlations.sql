-- correlations(released, original, qi := NULL, hierarchies := NULL, suppress := '*', bins := 32): what has become of correlations.
--
-- Two columns of numbers have Pearson's correlation coefficient. Any other two columns have Cramer's V: sqrt(chi^2 / rows / (least number
-- of values of either - 1)), from 0, independent, to 1 (Cramer 1946). It counts bins, as joint_tables() makes them.
-- A cell of the release is spread over the values of the source that it can stand for, as joint_tables() says. Pearson's coefficient takes
-- the values themselves, without bins: each row counts with the mean and the mean square of these values. A row in which either is NULL
-- does not count.
--
-- Arguments:
--   released, original, hierarchies, suppress, bins   as for joint_tables()
--   qi   VARCHAR[]   the columns to compare, by their names in both tables; NULL takes every column of the source.
--                    The columns of a CTE have to be named.
--
-- Result columns (one row per pair of columns; no order is promised):
--   columns    VARCHAR[]   the two columns
--   measure    VARCHAR     pearson or cramer
--   original   DOUBLE      in the source; NULL if one of the columns has one value only
--   released   DOUBLE      in the release
--   drift      DOUBLE      released - original
--
-- Errors: the tables differ in the number of rows, or one lacks a column.
--
-- Cost: each table is read once; for each pair of columns a GROUP BY and six sums of all rows.
CREATE OR REPLACE MACRO correlations(released, original, qi := NULL, hierarchies := NULL, suppress := '*', bins := 32) AS TABLE
FROM system.main.query(system.main.format(
    'SELECT tables.columns AS columns, CASE WHEN numbers.columns IS NULL THEN ''cramer'' ELSE ''pearson'' END AS measure,
            CASE WHEN numbers.columns IS NULL THEN tables.original ELSE numbers.original END AS original,
            CASE WHEN numbers.columns IS NULL THEN tables.released ELSE numbers.released END AS released,
            CASE WHEN numbers.columns IS NULL THEN tables.released - tables.original ELSE numbers.released - numbers.original END AS drift
     FROM (
         SELECT columns,
                system.main.sqrt(system.main.greatest(0, system.main.sum(original::DOUBLE * original / original_first / original_second) - 1) / least_values)
                    AS original,
                system.main.sqrt(system.main.greatest(0, system.main.sum(released::DOUBLE * released / released_first / released_second)
                    FILTER (released > 0) - 1) / least_values) AS released
         FROM (
             SELECT *, system.main.nullif(system.main.least(
                        system.main.max(first_place) OVER (PARTITION BY columns), system.main.max(second_place) OVER (PARTITION BY columns)), 1) - 1
                        AS least_values
             FROM (
                 SELECT *, system.main.sum(original) OVER first_bin AS original_first, system.main.sum(original) OVER second_bin AS original_second,
                        system.main.sum(released) OVER first_bin AS released_first, system.main.sum(released) OVER second_bin AS released_second,
                        system.main.dense_rank() OVER (PARTITION BY columns ORDER BY cell[1] ASC NULLS LAST) AS first_place,
                        system.main.dense_rank() OVER (PARTITION BY columns ORDER BY cell[2] ASC NULLS LAST) AS second_place
                 FROM joint_tables({0}, {1}, {2}, hierarchies := {3}, suppress := {4}, bins := {5})
                 WINDOW first_bin AS (PARTITION BY columns, cell[1]), second_bin AS (PARTITION BY columns, cell[2])
             ) AS totals
         ) AS totals
         GROUP BY columns, least_values
     ) AS tables
     LEFT JOIN pearson_correlations({0}, {1}, {2}, hierarchies := {3}, suppress := {4}) AS numbers ON numbers.columns = tables.columns',
    @joint_table_arguments()
    ,
    @built_in()
));
