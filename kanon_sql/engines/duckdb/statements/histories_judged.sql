, "kanon#linked" AS (
    -- what linked rows give away together is judged once all else holds
    SELECT CASE WHEN refused IS NULL THEN passed ELSE system.main.error(refused) END AS passed
    FROM (
        SELECT passed, CASE WHEN passed THEN system.main.kanon_histories(
            (SELECT release FROM "kanon#sums"), ${home}, ${called},
            ${tokens}) END AS refused
        FROM "kanon#audit"
    )
)
