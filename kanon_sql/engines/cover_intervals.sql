-- '[low, high)' or '[low, high]' of numbers, dates or texts, or the value itself; ' or NULL' behind it takes in NULL
    SELECT count(*) FILTER (coalesce(CASE
        WHEN value IS NULL THEN suffix(label, ' or NULL')
        WHEN value = range THEN true
        WHEN TRY_CAST(value AS DECIMAL(38, 15)) IS NOT NULL AND TRY_CAST(low AS DECIMAL(38, 15)) IS NOT NULL
            THEN value::DECIMAL(38, 15) >= low::DECIMAL(38, 15) AND (value::DECIMAL(38, 15) < high::DECIMAL(38, 15)
                 OR (closed AND value::DECIMAL(38, 15) = high::DECIMAL(38, 15)))
        ELSE starts_with(range, '[') AND value COLLATE "binary" >= low AND value COLLATE "binary" <= high END, false) IS FALSE) AS wrong
    FROM (
        SELECT value, label, range, regexp_extract(range, '^\[(.*?), ', 1, 's') AS low,
               regexp_extract(range, '^\[.*?, (.*)[\])]$$', 1, 's') AS high, suffix(range, ']') AS closed
        FROM (SELECT value, label, regexp_replace(label, ' or NULL$$', '') AS range FROM "kanon#shown")
    )
