-- pearson_correlations(released, original, qi, hierarchies := NULL, suppress := '*'): Pearson's correlation of each pair of columns of numbers, in the source and in the release.
--
-- correlations() measures with it, and says more. A cell of the release is spread over the values of the source that it can stand for, as
-- joint_tables() says: each row counts with the mean and the mean square of these values. A row in which either is NULL does not count.
--
-- Arguments:
--   released, original, hierarchies, suppress   as for joint_tables()
--   qi   VARCHAR[]   columns; those that are not of a type of finite numbers do not count, by their names in both tables
--
-- Result columns (one row per pair of columns of numbers; no order is promised):
--   columns    VARCHAR[]   the two columns
--   original   DOUBLE      in the source; NULL if one of the columns has one value only
--   released   DOUBLE      in the release
--
-- Errors: the tables differ in the number of rows, or one lacks a column.
--
-- Cost: each table is read once; for each pair of columns six sums of all rows.
CREATE OR REPLACE MACRO pearson_correlations(released, original, qi, hierarchies := NULL, suppress := '*') AS TABLE
FROM system.main.query(system.main.format(
    'WITH RECURSIVE @label_shares()
     ,
     @coded_rows()
     ,
     "kanon#numbers" AS MATERIALIZED (
         SELECT bins.position AS position, bin, number - system.main.sum(number * original_rows) OVER one_column
                    / system.main.sum(original_rows) OVER one_column AS number
         FROM "kanon#bins" AS bins
         JOIN (
             SELECT system.main.row_number() OVER () AS position, column_type
             FROM (DESCRIBE SELECT {11} FROM {3} AS source) AS described
         ) AS types ON types.position = bins.position
         WHERE bin > 0 AND system.main.regexp_matches(column_type, ''^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL[(0-9,)]+)$'')
         WINDOW one_column AS (PARTITION BY bins.position)
         QUALIFY system.main.bool_and(system.main.isfinite(number)) OVER one_column
     ),
     -- What a cell adds to sums: its share that is not NULL, the value, and its square, less the mean of the column.
     "kanon#moments" AS MATERIALIZED (
         SELECT shares.position AS position, code, system.main.sum(CASE WHEN shares.bin > 0 THEN share ELSE 0 END) AS one,
                system.main.sum(share * coalesce(number, 0)) AS x, system.main.sum(share * coalesce(number * number, 0)) AS xx
         FROM "kanon#shares" AS shares
         JOIN (SELECT DISTINCT position FROM "kanon#numbers") AS numeric ON numeric.position = shares.position
         LEFT JOIN "kanon#numbers" AS numbers ON numbers.position = shares.position AND numbers.bin = shares.bin
         GROUP BY ALL
         UNION ALL
         SELECT DISTINCT position, 0, 0, 0, 0 FROM "kanon#numbers"
     ),
     "kanon#correlated" AS (
         SELECT places, of_release, system.main.sum(n * f.one * s.one) AS n, system.main.sum(n * f.x * s.one) AS x, system.main.sum(n * f.one * s.x) AS y,
                system.main.sum(n * f.x * s.x) AS xy, system.main.sum(n * f.xx * s.one) AS xx, system.main.sum(n * f.one * s.xx) AS yy
         FROM (
             SELECT system.main.list_value(p1, p2) AS places, true AS of_release, s1, s2, n FROM ({12})
             UNION ALL
             SELECT system.main.list_value(p1, p2), false, s1, s2, n FROM ({13})
         ) AS counted
         JOIN "kanon#moments" AS f ON f.position = places[1] AND f.code = s1
         JOIN "kanon#moments" AS s ON s.position = places[2] AND s.code = s2
         GROUP BY places, of_release
     )
     SELECT system.main.list_transform(places, lambda i: system.main.list_extract({0}, i)) AS columns,
            system.main.any_value(r) FILTER (NOT of_release) AS original, system.main.any_value(r) FILTER (of_release) AS released
     FROM (
         SELECT places, of_release, CASE WHEN xx > 0 AND yy > 0 THEN xy / system.main.sqrt(xx) / system.main.sqrt(yy) END AS r
         FROM (
             SELECT places, of_release, xy / n - x / n * y / n AS xy,
                    CASE WHEN xx / n - x / n * x / n > 1e-12 * xx / n THEN xx / n - x / n * x / n END AS xx,
                    CASE WHEN yy / n - y / n * y / n > 1e-12 * yy / n THEN yy / n - y / n * y / n END AS yy
             FROM "kanon#correlated"
             WHERE n > 0
         ) AS means
     ) AS coefficients, "kanon#size"
     GROUP BY places',
    @label_share_texts(qi::VARCHAR[]; 9000000000)
    ,
    @coded_row_texts(qi::VARCHAR[])
    ,
    @numbered_columns(source.{1}; , ; qi::VARCHAR[])
    ,
    @counts_of_sets(kanon#released codes; @known_sets(2))
    ,
    @counts_of_sets(kanon#original codes; @known_sets(2))
    ,
    @built_in()
));
