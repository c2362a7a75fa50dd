    -- every value of the table is in the class, and the greater of its shares there and in the table is at most e^delta times
    -- the other
    SELECT class, complete AND greatest(here, whole) * ${unit} <= least(here, whole) * ${ratio} AS holds,
           CASE WHEN complete THEN CAST(greatest(here, whole) AS DOUBLE) / CAST(least(here, whole) AS DOUBLE)
                ELSE double('Infinity') END AS badness,
           CASE WHEN complete
                THEN concat('in the worst, one value has ', n, ' of ', size, ' rows, of the whole table ', total, ' of ', all_rows)
                ELSE 'in the worst, a value of the table is missing' END AS figure
    FROM (
        SELECT *, CAST(n AS DECIMAL(19, 0)) * CAST(all_rows AS DECIMAL(19, 0)) AS here,
               CAST(size AS DECIMAL(19, 0)) * CAST(total AS DECIMAL(19, 0)) AS whole,
               different = (SELECT count(DISTINCT struct(value)) FROM tally) AS complete
        FROM (
            SELECT class, n, sum(n) OVER (PARTITION BY class) AS size, count(*) OVER (PARTITION BY class) AS different,
                   sum(n) OVER (PARTITION BY value) AS total, (SELECT sum(n) FROM tally) AS all_rows
            FROM tally
        )
    )
