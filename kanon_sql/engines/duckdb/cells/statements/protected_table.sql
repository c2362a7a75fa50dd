-- A protected table as one query. Slots: see query.py.
${gathered}, "kanon#keys" AS MATERIALIZED (
    SELECT "kanon#number", ${keys}, ${coded} FROM "kanon#coded"
), "kanon#fit" AS MATERIALIZED (
    SELECT run, CASE WHEN refused IS NULL THEN true ELSE system.main.error(refused) END AS fitted
    FROM (
        SELECT run, system.main.kanon_fit_cells(run, (SELECT system.main.count("kanon#arrived") FROM "kanon#cells")) AS refused
        FROM "kanon#run"
    )
), "kanon#added" AS (
    SELECT grouping_id(${grouped}) AS "kanon#set", system.main.min("kanon#number") AS "kanon#first",
           CAST(coalesce(system.main.sum("kanon#people"), 0) AS BIGINT) AS "kanon#people"${added}
    FROM "kanon#cells"${own}
    GROUP BY GROUPING SETS (${sets})
), "kanon#empty" AS MATERIALIZED (
    SELECT -system.main.row_number() OVER () AS "kanon#first", "kanon#e".*
    FROM (SELECT system.main.unnest(system.main.kanon_empty_rows(run)) AS "kanon#e" FROM "kanon#fit" WHERE fitted)
), "kanon#rows" AS MATERIALIZED (
    SELECT "kanon#a".*, system.main.kanon_suppressed(run, "kanon#a") AS "kanon#hidden"
    FROM "kanon#added" AS "kanon#a", "kanon#fit"
    WHERE fitted
    UNION ALL BY NAME
    -- nobody is in these rows, which are suppressed as well
    SELECT "set" AS "kanon#set", "kanon#first", suppressed AS "kanon#hidden" FROM "kanon#empty"
), "kanon#named" AS (
    FROM "kanon#keys"
    UNION ALL
    SELECT "kanon#first", ${lent}, ${lent_codes}
    FROM "kanon#empty"${lenders}
), "kanon#gate" AS MATERIALIZED (
    SELECT CASE WHEN refused IS NULL THEN true ELSE system.main.error(refused) END AS passed
    FROM (
        SELECT system.main.kanon_table_checked(run, (SELECT system.main.count("kanon#hidden") FROM "kanon#rows")) AS refused
        FROM "kanon#run"
    )
)
SELECT ${items}
FROM "kanon#gate", "kanon#rows" AS "kanon#r"
LEFT JOIN "kanon#named" AS "kanon#c" ON "kanon#c"."kanon#number" = "kanon#r"."kanon#first"
WHERE passed${kept}
ORDER BY "kanon#r"."kanon#set" ASC NULLS LAST, system.main.row(${codes}) ASC NULLS LAST
