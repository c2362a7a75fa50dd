    -- at least l values in a class
    SELECT class, different::HUGEINT * ${unit} >= ${l} AS holds, -different AS badness,
           system.main.concat('the worst has ', different, ' different value', CASE different WHEN 1 THEN '' ELSE 's' END) AS figure
    FROM (SELECT class, system.main.count(*) AS different FROM ${tally} GROUP BY class)
