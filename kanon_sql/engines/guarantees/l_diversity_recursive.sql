    -- r_1 < c (r_l + ... + r_m), with the counts of a class descending
    SELECT class, most::HUGEINT * ${unit} < tail::HUGEINT * ${c} AS holds, most::DOUBLE / (tail + 1) AS badness,
           system.main.concat('in the worst, the most frequent value has ', most, ' rows, those from place ${l} on ', tail) AS figure
    FROM (
        SELECT class, system.main.max(n) AS most, coalesce(system.main.sum(n) FILTER (WHERE place >= ${l}), 0) AS tail
        FROM (
            SELECT class, n, system.main.row_number() OVER (PARTITION BY class ORDER BY n DESC NULLS LAST) AS place FROM ${tally}
        )
        GROUP BY class
    )
