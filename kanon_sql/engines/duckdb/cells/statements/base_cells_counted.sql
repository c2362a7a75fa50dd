    SELECT *
    FROM "kanon#source"
