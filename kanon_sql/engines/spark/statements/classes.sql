-- The classes of what was written, by what their rows show byte for byte, beside the rows that their pieces have.
SELECT count_if(n > 0) AS number, coalesce(sum(n), 0) AS rows, min(CASE WHEN n > 0 THEN n END) AS smallest,
       count_if(n > 0 AND n < ${k}) AS small, count_if(n <> given) AS unlike, min(CASE WHEN n > 0 THEN people END) AS people
FROM (
    SELECT sum(n) AS n, sum(given) AS given, ${people} AS people
    FROM (
        SELECT struct(${looks}) AS class, 1L AS n, 0L AS given, ${who} AS who FROM ${written}
        UNION ALL
        SELECT struct(${looks}) AS class, 0L AS n, `kanon#n` AS given, NULL AS who FROM ${expected}
    )
    GROUP BY class
)
