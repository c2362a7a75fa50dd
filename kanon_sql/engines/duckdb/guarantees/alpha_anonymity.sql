    -- the named value has at most a share alpha of a class, however it is spelled there
    SELECT class, named::HUGEINT * ${unit} <= size::HUGEINT * ${alpha} AS holds, named::DOUBLE / size AS badness,
           system.main.format('in the worst, {} of {} rows', named, size) AS figure
    FROM (
        SELECT class, coalesce(system.main.sum(n) FILTER (meant), 0) AS named, system.main.sum(n) AS size
        FROM (
            SELECT class, n, value IN (SELECT value FROM ${tally} WHERE system.main.list_contains(texts, ${value})) AS meant
            FROM ${tally}
        )
        GROUP BY class
    )
