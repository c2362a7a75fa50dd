, "kanon#suspects" AS MATERIALIZED (
    -- the columns that come within half of a limit in a part: they are counted again in all rows
    SELECT coalesce(system.main.list(DISTINCT i), []) AS suspects
    FROM (
        SELECT i FROM "kanon#single" AS "kanon#s", "kanon#measured"
        WHERE parts > 1 AND single * parts * 2 > CASE WHEN i > 0 THEN ${alone} ELSE ${most} END * "kanon#measured".rows
        UNION ALL
        SELECT i FROM (
            SELECT i, j, cells AS guessed, system.main.unnest([hit, hit_of_five]) AS hit, system.main.unnest([miss, miss_of_five]) AS miss
            FROM "kanon#guessed"
        ) JOIN "kanon#hidden" AS "kanon#h" USING (j), "kanon#measured"
        WHERE parts > 1 AND common < 1 AND hit * 2 > ${most} * guessed AND miss <= 2 * ${wrong} * (hit + miss)
    )
)
