SELECT system.main.count(*) FILTER (coalesce(CASE
        WHEN t IS NULL THEN false
        ${ends}
        ELSE label IN (${labels}) END, false) IS FALSE) AS wrong
    FROM (
        SELECT *, system.main.year(t) AS year FROM (SELECT value, label, TRY_CAST(value AS TIMESTAMP) AS t FROM "kanon#shown")
    ) AS shown
