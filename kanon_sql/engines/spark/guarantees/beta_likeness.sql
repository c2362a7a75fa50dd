    -- no value gains more than beta, or -ln of its share of the table, over that share; what rounding leaves in doubt fails
    SELECT class, bool_and(coalesce(holds, false)) AS holds, max(gain) AS badness,
           max_by(concat('in the worst, one value has ', n, ' of ', size, ' rows, of the whole table ', total, ' of ', all_rows), gain)
               AS figure
    FROM (
        SELECT *, here * ${unit} <= whole * (${unit} + ${beta})
                   AND (here <= whole OR gain < ln(all_rows / total) * (1 - 1e-14D) - 1e-14D) AS holds
        FROM (
            SELECT *, CAST(here - whole AS DOUBLE) / CAST(whole AS DOUBLE) AS gain
            FROM (
                SELECT *, CAST(n AS DECIMAL(18, 0)) * CAST(all_rows AS DECIMAL(18, 0)) AS here,
                       CAST(size AS DECIMAL(18, 0)) * CAST(total AS DECIMAL(18, 0)) AS whole
                FROM (
                    SELECT class, n, sum(n) OVER (PARTITION BY class) AS size, sum(n) OVER (PARTITION BY value) AS total,
                           (SELECT sum(n) FROM tally) AS all_rows
                    FROM tally
                )
            )
        )
    )
    GROUP BY class
