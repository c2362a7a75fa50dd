    -- at least l values in a class
    SELECT class, CAST(count(*) AS DECIMAL(38, 0)) * ${unit} >= ${l} AS holds, -CAST(count(*) AS DOUBLE) AS badness,
           concat('the worst has ', count(*), ' different value', IF(count(*) = 1, '', 's')) AS figure
    FROM tally GROUP BY class
