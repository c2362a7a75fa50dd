    -- r_1 < c (r_l + ... + r_m), with the counts of a class descending
    SELECT class, CAST(most AS DECIMAL(38, 0)) * ${unit} < CAST(tail AS DECIMAL(38, 0)) * ${c} AS holds,
           CAST(most AS DOUBLE) / (tail + 1) AS badness,
           concat('in the worst, the most frequent value has ', most, ' rows, those from place ${l} on ', tail) AS figure
    FROM (
        SELECT class, max(n) AS most, coalesce(sum(n) FILTER (WHERE place >= ${l}), 0) AS tail
        FROM (SELECT class, n, row_number() OVER (PARTITION BY class ORDER BY n DESC NULLS LAST) AS place FROM tally)
        GROUP BY class
    )
