    -- the sum over all values but the last of |class up to there - table up to there|, over their number
    SELECT class, work AS numerator, greatest(1, spaces * rows * size) AS denominator, work * ${unit} <= ${t} * spaces * rows * size AS holds,
           coalesce(CAST(work AS DOUBLE) / nullif(CAST(spaces * rows * size AS DOUBLE), 0), 0) AS badness,
           format_string('the worst is at a distance of %.6f',
                         coalesce(CAST(work AS DOUBLE) / nullif(CAST(spaces * rows * size AS DOUBLE), 0), 0)) AS figure
    FROM (
        SELECT class, size, rows, CAST(max(place) - 1 AS DECIMAL(18, 0)) AS spaces, sum(abs(rows * here - size * upto)) AS work
        FROM (
            SELECT class, size, rows, line.place, CAST(upto AS DECIMAL(18, 0)) AS upto,
                   CAST(sum(n) OVER (PARTITION BY class ORDER BY line.place ASC NULLS LAST ROWS UNBOUNDED PRECEDING)
                        AS DECIMAL(18, 0)) AS here
            FROM (
                SELECT class, size, rows, place, upto, coalesce(own.n, 0) AS n
                FROM (
                    SELECT value, row_number() OVER (ORDER BY label ASC NULLS LAST) AS place,
                           sum(total) OVER (ORDER BY label ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS upto
                    FROM (SELECT value, label, sum(n) AS total FROM tally GROUP BY value, label)
                ) AS places
                CROSS JOIN (
                    SELECT class, CAST(sum(n) AS DECIMAL(18, 0)) AS size,
                           CAST((SELECT sum(n) FROM tally) AS DECIMAL(18, 0)) AS rows
                    FROM tally GROUP BY class
                ) AS classes
                LEFT JOIN (SELECT class AS own_class, value AS own_value, n FROM tally) AS own
                    ON own_class <=> class AND own_value = places.value
            ) AS line
        )
        GROUP BY class, size, rows
    )
