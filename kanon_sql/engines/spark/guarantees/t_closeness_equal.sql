    -- half the sum over the values of |share of the class - share of the table|; a value that the class has not adds the
    -- share of the table, so that is taken for all values first
    SELECT class, work AS numerator, 2 * rows * size AS denominator, work * ${unit} <= 2 * ${t} * rows * size AS holds, CAST(work AS DOUBLE) / (2 * rows * size) AS badness,
           format_string('the worst is at a distance of %.6f', CAST(work AS DOUBLE) / (2 * rows * size)) AS figure
    FROM (
        SELECT class, size, rows, rows * size + sum(abs(rows * n - size * total) - size * total) AS work
        FROM (
            SELECT here.class, CAST(here.n AS DECIMAL(20, 0)) AS n, CAST(total AS DECIMAL(20, 0)) AS total,
                   CAST(sum(here.n) OVER (PARTITION BY here.class) AS DECIMAL(18, 0)) AS size,
                   CAST((SELECT sum(n) FROM tally) AS DECIMAL(18, 0)) AS rows
            FROM tally AS here
            JOIN (SELECT value, sum(n) AS total FROM tally GROUP BY value) AS whole ON here.value <=> whole.value
        )
        GROUP BY class, size, rows
    )
