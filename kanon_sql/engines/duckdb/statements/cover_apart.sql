
        + (
            -- no two intervals have a value in common
            SELECT system.main.count(*) FILTER (CASE WHEN numbers THEN low_number <= before_number ELSE low <= before END)
            FROM (
                SELECT numbers, low, low_number,
                       system.main.lag(high) OVER (
                           ORDER BY low COLLATE "binary" ASC NULLS LAST, high COLLATE "binary" ASC NULLS LAST) AS before,
                       system.main.lag(high_number) OVER (
                           ORDER BY low_number ASC NULLS LAST, high_number ASC NULLS LAST) AS before_number
                FROM "kanon#read" CROSS JOIN ${order}
            )
        )