    -- rows of at least k people in a class; an empty cell is nobody
    SELECT class, people >= ${k} AS holds, -people AS badness, system.main.format('the worst has rows of {} people', people)
        AS figure
    FROM (SELECT class, system.main.count(label) AS people FROM ${tally} GROUP BY class)
