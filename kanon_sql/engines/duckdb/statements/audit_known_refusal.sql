        WHEN (SELECT sets = ${sets} AND fewest = most AND least >= ${k} AND fewest = (
                  SELECT system.main.sum(size) FROM "kanon#classes") FROM ${check}) IS DISTINCT FROM true
            THEN system.main.error(system.main.format(
                'kanon audit: {} does not hold: the smallest class has {}; nothing was released', ${guarantee},
                (SELECT CASE least WHEN 1 THEN '1 row' ELSE system.main.format('{} rows', least) END FROM ${check})))
