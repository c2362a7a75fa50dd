    -- at least k rows of the population match what a class shows
    SELECT class, n >= ${k} AS holds, -n AS badness,
           system.main.format('the worst matches {} rows of the population', n) AS figure
    FROM ${counted}
