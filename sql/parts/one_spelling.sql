-- one_spelling(query; types; shown; columns): the rows of a query, where equal values are one also to who reads them. Columns are those to
-- look at, shown names those before them; types is what the types match of rows with such values.

-- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
SELECT * FROM (<query>) AS "kanon#s"
WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''<types>'')
UNION ALL
SELECT <shown>CASE WHEN system.main.regexp_matches(system.main.typeof(<columns>), ''INTERVAL|VARIANT'')
    THEN system.main.first(<columns>) OVER (
        PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(<columns>)) ORDER BY CAST(<columns> AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
    ELSE <columns> END
FROM (<query>) AS "kanon#s"
WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''<types>'')
