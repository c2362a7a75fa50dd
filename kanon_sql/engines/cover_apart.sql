
        + (
            -- no two intervals have a value in common
            SELECT system.main.count(*) FILTER (CASE WHEN numbers THEN low_number <= before_number ELSE low <= before END)
            FROM (
                SELECT numbers, low, low_number,
                       system.main.lag(high) OVER (ORDER BY low COLLATE "binary", high COLLATE "binary") AS before,
                       system.main.lag(high_number) OVER (ORDER BY low_number, high_number) AS before_number
                FROM "kanon#read" CROSS JOIN ${order}
            )
        )