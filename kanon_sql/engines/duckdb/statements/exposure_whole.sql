), "kanon#suspects" AS MATERIALIZED (
    -- what a part of the table gives back to a quarter of the limit is counted in the whole table
    SELECT DISTINCT i, j
    FROM "kanon#estimated", "kanon#measured"
    WHERE system.main.greatest(hit, hit_of_five) > ${most} / 4 * cells AND parts > 1 AND i <= columns
), "kanon#whole" AS (
    SELECT true AS grouped, i, j, v[i + 1] AS v, x[j] AS x, system.main.count(*) AS n
    FROM (
        SELECT system.main.list_value(*COLUMNS(* EXCLUDE ("kanon#x"))) AS v, "kanon#x" AS x
        FROM (
            SELECT ${unchanged}, system.main.list_value(${identifying}) AS "kanon#x"
            FROM (SELECT true AS "kanon#one", * FROM ${source} WHERE (SELECT system.main.count(*) > 0 FROM "kanon#suspects"))
        )
    ), "kanon#suspects"
    GROUP BY ALL
), "kanon#exact" AS (
${exact}
