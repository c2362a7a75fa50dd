-- coded_rows(): CTEs behind those of label_shares: the rows of both tables by codes, kanon#released codes and kanon#original codes.

"kanon#released codes" AS MATERIALIZED (SELECT {7} FROM "kanon#released" AS rows_of {8}),
"kanon#original codes" AS MATERIALIZED (SELECT {9} FROM "kanon#original" AS rows_of {10}),
-- The rows of either table; another number in the other is an error.
"kanon#size" AS MATERIALIZED (
    SELECT n
    FROM (
        SELECT (SELECT system.main.count(*) FROM "kanon#original") AS n, (SELECT system.main.count(*) FROM "kanon#released") AS in_release
    ) AS sizes
    WHERE CASE WHEN n = in_release THEN true
        ELSE system.main.error(system.main.format(''kanon: the release has {{}} rows and the original {{}}'', in_release, n)) END
)
