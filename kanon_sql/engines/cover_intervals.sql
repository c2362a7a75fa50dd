-- '[low, high)' or '[low, high]' of numbers, dates or texts, or the value itself; ' or NULL' behind it takes in NULL
    SELECT system.main.count(*) FILTER (coalesce(CASE
        WHEN value IS NULL THEN system.main.suffix(label, ' or NULL')
        WHEN value = range THEN true
        WHEN numbers AND NOT system.main.starts_with(range, '[')
            THEN TRY_CAST(range AS DECIMAL(38, 15)) = number  -- 1 and 1.0 are one number
        WHEN numbers
            THEN TRY_CAST(low AS DECIMAL(38, 15)) <= number
                 AND (number < TRY_CAST(high AS DECIMAL(38, 15)) OR (closed AND number = TRY_CAST(high AS DECIMAL(38, 15))))
        ELSE system.main.starts_with(range, '[') AND value COLLATE "binary" >= low AND value COLLATE "binary" <= high END,
        false) IS FALSE) AS wrong
    FROM (
        SELECT value, label, range, number, system.main.regexp_extract(range, '^\[(.*?), ', 1, 's') AS low,
               system.main.regexp_extract(range, '^\[.*?, (.*)[\])]$$', 1, 's') AS high, system.main.suffix(range, ']')
                   AS closed,
               system.main.bool_and(value IS NULL OR number IS NOT NULL) OVER () AS numbers
        FROM (
            SELECT value, label, system.main.regexp_replace(label, ' or NULL$$', '') AS range,
                   TRY_CAST(value AS DECIMAL(38, 15)) AS number
            FROM "kanon#shown"
        )
    )
