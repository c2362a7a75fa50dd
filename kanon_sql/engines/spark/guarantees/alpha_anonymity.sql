    -- the named value has at most a share alpha of a class
    SELECT class, CAST(named AS DECIMAL(38, 0)) * ${unit} <= CAST(size AS DECIMAL(38, 0)) * ${alpha} AS holds,
           CAST(named AS DOUBLE) / size AS badness, concat('in the worst, ', named, ' of ', size, ' rows') AS figure
    FROM (
        SELECT class, coalesce(sum(n) FILTER (WHERE CAST(value AS STRING) = ${value}), 0) AS named, sum(n) AS size
        FROM tally GROUP BY class
    )
