    -- rows of at least k people in a class; an empty cell is nobody
    SELECT class, people >= ${k} AS holds, -people AS badness,
           system.main.concat('the worst has rows of ', people, CASE people WHEN 1 THEN ' person' ELSE ' people' END) AS figure
    FROM (SELECT class, system.main.count(label) AS people FROM ${tally} GROUP BY class)
