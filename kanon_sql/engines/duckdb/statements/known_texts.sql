
        -- all texts of a value, however it is spelled in a class
        LEFT JOIN (SELECT value, system.main.flatten(system.main.list(texts)) AS texts FROM ${tally} GROUP BY value)
            AS "kanon#texts" USING (value)