    -- at least k rows of the population match what a class shows
    SELECT class, n >= ${k} AS holds, -n AS badness,
           system.main.format('the worst matches {} row{} of the population', n, CASE n WHEN 1 THEN '' ELSE 's' END) AS figure
    FROM ${counted}
