LEFT JOIN (
                    SELECT code, system.main.list(layer ORDER BY id ASC NULLS LAST) AS layers,
                           system.main.list(id ORDER BY id ASC NULLS LAST) AS ids
                    FROM ${labels}
                    GROUP BY code
                ) AS ${pair} ON ${pair}.code = "kanon#c".c${unit}
