, "kanon#coded" AS MATERIALIZED (
    -- what the rows of each class show, as a number for each value; a class without values fails below
    SELECT class, size, ${ranks}
    FROM (
        SELECT "kanon#number" AS class, "kanon#size" AS size, ${keys}
        FROM (SELECT class AS "kanon#number", class AS "kanon#class", size AS "kanon#size" FROM "kanon#classes")
        LEFT JOIN "kanon#values" USING ("kanon#class")
    )
)
