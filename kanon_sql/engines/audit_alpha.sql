    -- the named value has at most a share alpha of a class
    SELECT class, named::HUGEINT * ${unit} <= size::HUGEINT * ${alpha} AS holds, named / size AS badness,
           system.main.format('in the worst, {} of {} rows', named, size) AS figure
    FROM (SELECT class, coalesce(system.main.sum(n) FILTER (label = ${value}), 0) AS named, system.main.sum(n) AS size
          FROM ${tally} GROUP BY class)
