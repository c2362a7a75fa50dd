-- label_shares(): CTEs that spread the cells of a release over the values of its source. kanon#columns: the columns, from position 1;
-- kanon#released, kanon#original: the texts of the cells, in columns c1, c2, ...; kanon#covered: the values that a label covers;
-- kanon#codes: the bin of each value of the source, and the code of each text of the release; kanon#shares: the bins of a code.

"kanon#columns" AS MATERIALIZED (
    SELECT system.main.unnest(system.main.range(1, system.main.len({0}) + 1)) AS position, system.main.unnest({0}) AS name
),
"kanon#released" AS MATERIALIZED (SELECT {1} FROM {2} AS source),
"kanon#original" AS MATERIALIZED (SELECT {1} FROM {3} AS source),
-- What a column shows, in either table; a suppressed cell is NULL.
"kanon#symbols" AS MATERIALIZED (
    SELECT position, symbol, system.main.sum(released_rows)::BIGINT AS released_rows,
           system.main.sum(original_rows)::BIGINT AS original_rows
    FROM ({4}) AS cells(position, symbol, released_rows, original_rows)
    GROUP BY ALL
),
@label_readings({5})
-- The values that a label covers, by the first rule that reads it.
"kanon#stretched" AS MATERIALIZED (
    SELECT position, by_number, size, symbol, nulls, rule,
           system.main.sum(below) FILTER (sign < 0) AS low, system.main.sum(below) FILTER (sign > 0) AS high
    FROM "kanon#points"
    WHERE sign <> 0
    GROUP BY ALL
    HAVING high > low
),
"kanon#covered" AS MATERIALIZED (
    SELECT position, symbol, "value"
    FROM (
        SELECT ancestors.position AS position, ancestors.label AS symbol, ancestors.symbol AS "value", 0 AS rule
        FROM "kanon#ancestors" AS ancestors
        JOIN "kanon#labels" AS labels ON labels.position = ancestors.position AND labels.symbol = ancestors.label
        UNION ALL
        SELECT position, symbol, "value", 1 FROM "kanon#sets"
        UNION ALL
        SELECT ends.position, ends.symbol, system.main.encode(known.text), ends.rule
        FROM (
            SELECT *, system.main.unnest(system.main.range(low::BIGINT + 1, high::BIGINT + 1)) AS place FROM "kanon#stretched"
        ) AS ends
        JOIN "kanon#points" AS known
            ON known.position = ends.position AND known.by_number = ends.by_number AND known.below = ends.place
               AND known.size IS NOT DISTINCT FROM ends.size AND known.sign = 0
        UNION ALL
        SELECT position, symbol, NULL, rule FROM "kanon#stretched" WHERE nulls
    ) AS rules
    QUALIFY rule = system.main.min(rule) OVER (PARTITION BY position, symbol)
),
-- The bins of the values: each value its own, from 1, or stretches of the sorted values with about as many rows each. That of NULL is 0.
"kanon#bins" AS MATERIALIZED (
    SELECT position, symbol, number, original_rows,
           CASE WHEN many <= {6} THEN place ELSE ((upto - original_rows) * {6}::HUGEINT // total)::BIGINT + 1 END AS bin
    FROM (
        SELECT *, system.main.row_number() OVER sorted AS place, system.main.count(*) OVER (PARTITION BY position) AS many,
               system.main.sum(original_rows) OVER (sorted ROWS UNBOUNDED PRECEDING) AS upto,
               system.main.sum(original_rows) OVER (PARTITION BY position) AS total
        FROM (
            SELECT position, symbol, original_rows,
                   CASE WHEN system.main.bool_and(number IS NOT NULL) OVER (PARTITION BY position) THEN number END AS number
            FROM (
                SELECT *, TRY_CAST(system.main.decode(symbol) AS DOUBLE) AS number
                FROM "kanon#symbols"
                WHERE symbol IS NOT NULL AND original_rows > 0
            ) AS numbers
        ) AS numbers
        WINDOW sorted AS (PARTITION BY position ORDER BY number ASC NULLS LAST, symbol ASC NULLS LAST)
    ) AS sorted
    UNION ALL
    SELECT position, NULL, NULL, original_rows, 0 FROM "kanon#symbols" WHERE symbol IS NULL
),
"kanon#codes" AS MATERIALIZED (
    SELECT symbols.position AS position, symbols.symbol AS symbol, released_rows, symbols.original_rows AS original_rows, bin, number,
           CASE WHEN symbols.symbol IS NOT NULL AND bin IS NOT NULL THEN bin
               ELSE -system.main.row_number() OVER (ORDER BY symbols.position ASC NULLS LAST, symbols.symbol ASC NULLS LAST) END AS code
    FROM "kanon#symbols" AS symbols
    LEFT JOIN "kanon#bins" AS bins ON bins.position = symbols.position AND bins.symbol IS NOT DISTINCT FROM symbols.symbol
),
-- A value is its bin; a label each value that it covers, by equal shares.
"kanon#read" AS MATERIALIZED (
    SELECT position, code, bin, 1::DOUBLE AS share, system.main.sum(released_rows) AS released_rows
    FROM "kanon#codes"
    WHERE code > 0
    GROUP BY ALL
    UNION ALL
    SELECT position, code, bin, n::DOUBLE / system.main.sum(n) OVER (PARTITION BY position, code), released_rows
    FROM (
        SELECT codes.position AS position, code, bins.bin AS bin, released_rows, system.main.count(*) AS n
        FROM "kanon#codes" AS codes
        JOIN "kanon#covered" AS covered ON covered.position = codes.position AND covered.symbol = codes.symbol
        JOIN "kanon#bins" AS bins ON bins.position = covered.position AND bins.symbol IS NOT DISTINCT FROM covered."value"
        WHERE code < 0
        GROUP BY ALL
    ) AS covers
),
-- A suppressed cell is what the column shows elsewhere, or any value of the source if it shows nothing.
"kanon#shown" AS MATERIALIZED (
    SELECT position, bin,
           CASE WHEN system.main.sum(shown) OVER (PARTITION BY position) > 0
               THEN shown / system.main.sum(shown) OVER (PARTITION BY position)
               ELSE n::DOUBLE / system.main.sum(n) OVER (PARTITION BY position) END AS share
    FROM (
        SELECT bins.position AS position, bins.bin AS bin, n, coalesce(shown, 0) AS shown
        FROM (SELECT position, bin, system.main.count(*) AS n FROM "kanon#bins" WHERE bin > 0 GROUP BY ALL) AS bins
        LEFT JOIN (
            SELECT position, bin, system.main.sum(released_rows * share) AS shown FROM "kanon#read" GROUP BY ALL
        ) AS read ON read.position = bins.position AND read.bin = bins.bin
    ) AS shown
    UNION ALL
    SELECT position, 0, 1 FROM "kanon#columns" WHERE position NOT IN (SELECT position FROM "kanon#bins" WHERE bin > 0)
),
-- As many of the NULLs of the release as the source has and no label takes in are NULLs of the source.
"kanon#nulls" AS MATERIALIZED (
    SELECT codes.position AS position, code,
           system.main.least(1, system.main.greatest(0, original_rows - coalesce(behind, 0)) / released_rows) AS share
    FROM "kanon#codes" AS codes
    LEFT JOIN (
        SELECT position, system.main.sum(released_rows * share) AS behind FROM "kanon#read" WHERE bin = 0 GROUP BY ALL
    ) AS labels ON labels.position = codes.position
    WHERE symbol IS NULL AND released_rows > 0
),
"kanon#shares" AS MATERIALIZED (
    SELECT position, code, bin, share FROM "kanon#read"
    UNION ALL
    SELECT position, code, 0, share FROM "kanon#nulls" WHERE share > 0
    UNION ALL
    SELECT shown.position, code, shown.bin, shown.share * missing.share
    FROM (
        SELECT position, code, 1 - share AS share FROM "kanon#nulls" WHERE share < 1
        UNION ALL
        SELECT position, code, 1
        FROM "kanon#codes"
        WHERE code < 0 AND symbol IS NOT NULL AND code NOT IN (SELECT code FROM "kanon#read")
    ) AS missing
    JOIN "kanon#shown" AS shown ON shown.position = missing.position
    WHERE shown.share > 0
)
