    -- the named value has at most a share alpha of a class, however it is spelled there
    SELECT class, named::HUGEINT * ${unit} <= size::HUGEINT * ${alpha} AS holds, named::DOUBLE / size AS badness,
           system.main.concat('in the worst, ', named, ' of ', size, ' rows') AS figure
    FROM (
        SELECT class, coalesce(system.main.sum(n) FILTER (WHERE meant), 0) AS named, system.main.sum(n) AS size
        FROM (SELECT class, n, ${meant} AS meant FROM ${tally})
        GROUP BY class
    )
