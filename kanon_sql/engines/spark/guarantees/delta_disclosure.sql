    -- every value of the table is in the class, and the greater of its shares there and in the table is at most e^delta times
    -- the other
    SELECT class, bool_and(coalesce(complete AND greatest(here, whole) * ${unit} <= least(here, whole) * ${ratio}, false)) AS holds,
           max(apart) AS badness,
           CASE WHEN bool_and(complete)
                THEN max_by(concat('in the worst, one value has ', n, ' of ', size, ' rows, of the whole table ', total, ' of ', all_rows),
                            apart)
                ELSE 'in the worst, a value of the table is missing' END AS figure
    FROM (
        SELECT *, CASE WHEN complete THEN CAST(greatest(here, whole) AS DOUBLE) / CAST(least(here, whole) AS DOUBLE)
                       ELSE double('Infinity') END AS apart
        FROM (
            SELECT *, CAST(n AS DECIMAL(18, 0)) * CAST(all_rows AS DECIMAL(18, 0)) AS here,
                   CAST(size AS DECIMAL(18, 0)) * CAST(total AS DECIMAL(18, 0)) AS whole,
                   different = (SELECT count(DISTINCT struct(value)) FROM tally) AS complete
            FROM (
                SELECT class, n, sum(n) OVER (PARTITION BY class) AS size, count(*) OVER (PARTITION BY class) AS different,
                       sum(n) OVER (PARTITION BY value) AS total, (SELECT sum(n) FROM tally) AS all_rows
                FROM tally
            )
        )
    )
    GROUP BY class
