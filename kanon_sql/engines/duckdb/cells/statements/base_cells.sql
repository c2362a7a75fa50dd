    SELECT COLUMNS('^kanon#key'), system.main.count(*) AS "kanon#people"${measures}
    FROM "kanon#source"
    GROUP BY ALL
