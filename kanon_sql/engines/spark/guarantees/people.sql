    -- rows of at least k people in a class; an empty cell is nobody
    SELECT class, people >= ${k} AS holds, -CAST(people AS DOUBLE) AS badness,
           concat('the worst has rows of ', people, IF(people = 1, ' person', ' people')) AS figure
    FROM (SELECT class, count(value) AS people FROM tally GROUP BY class)
