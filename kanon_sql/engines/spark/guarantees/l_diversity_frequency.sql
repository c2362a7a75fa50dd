    -- no value has more than 1/l of a class
    SELECT class, CAST(max(n) AS DECIMAL(38, 0)) * ${l} <= CAST(sum(n) AS DECIMAL(38, 0)) * ${unit} AS holds,
           CAST(max(n) AS DOUBLE) / sum(n) AS badness,
           concat('in the worst, one value has ', max(n), ' of ', sum(n), ' rows') AS figure
    FROM tally GROUP BY class
