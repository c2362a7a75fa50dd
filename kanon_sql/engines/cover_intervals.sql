-- '[low, high)' or '[low, high]' of numbers, dates or texts, or the value itself
    SELECT count(*) FILTER (coalesce(label = value OR CASE
        WHEN TRY_CAST(value AS DECIMAL(38, 15)) IS NOT NULL AND TRY_CAST(low AS DECIMAL(38, 15)) IS NOT NULL
            THEN value::DECIMAL(38, 15) >= low::DECIMAL(38, 15) AND (value::DECIMAL(38, 15) < high::DECIMAL(38, 15)
                 OR (closed AND value::DECIMAL(38, 15) = high::DECIMAL(38, 15)))
        ELSE starts_with(label, '[') AND value COLLATE "binary" >= low AND value COLLATE "binary" <= high END, false) IS FALSE) AS wrong
    FROM (
        SELECT value, label, regexp_extract(label, '^\[(.*?), ', 1, 's') AS low,
               regexp_extract(label, '^\[.*?, (.*)[\])]$$', 1, 's') AS high, suffix(label, ']') AS closed
        FROM "kanon#shown"
    )
