
        WHEN (SELECT sets = ${sets} AND fewest = most AND failing = 0 AND fewest = (
                  SELECT system.main.sum(size) FROM "kanon#classes") FROM ${check}) IS DISTINCT FROM true
            THEN system.main.error(system.main.format(
                'kanon audit: {} does not hold: by some set of columns {}; nothing was released', ${guarantee},
                (SELECT figure FROM ${check})))
