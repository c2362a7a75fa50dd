    SELECT ${keys}, system.main.count(*) AS "kanon#people"${measures}
    FROM "kanon#source"
    GROUP BY ALL
