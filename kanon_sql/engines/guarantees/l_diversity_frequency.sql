    -- no value has more than 1/l of a class
    SELECT class, most::HUGEINT * ${l} <= size::HUGEINT * ${unit} AS holds, most::DOUBLE / size AS badness,
           system.main.concat('in the worst, one value has ', most, ' of ', size, ' rows') AS figure
    FROM (SELECT class, system.main.max(n) AS most, system.main.sum(n) AS size FROM ${tally} GROUP BY class)
