-- A release of histories as one query: tokens link the rows of each person. Slots: see history_query.py.
WITH "kanon#source" AS MATERIALIZED (
${source}
), "kanon#run" AS MATERIALIZED (
    SELECT system.main.kanon_begin_histories(${requested}, ${unit}) AS run
    -- nothing is released where a macro of the database takes the place of a function behind the syntax of this text
    WHERE ${unshadowed}
), "kanon#read" AS MATERIALIZED (
    -- the numbers of the rows follow a keyed hash, not the order of the source
    SELECT *, system.main.row_number() OVER (ORDER BY "kanon#hash" ASC NULLS LAST, "kanon#key" ASC NULLS LAST) AS "kanon#row"
    FROM (
        SELECT *, system.main.kanon_keyed_hash("kanon#key") AS "kanon#hash"
        FROM (
            SELECT "kanon#s".*, system.main.create_sort_key("kanon#s", 'ASC NULLS LAST') AS "kanon#key"
            FROM "kanon#source" AS "kanon#s"
        )
    )
), "kanon#seed" AS MATERIALIZED (
    SELECT system.main.concat(${signed}, ' ', system.main.sum("kanon#hash"), ' ') AS seed
    FROM "kanon#read"
), "kanon#gathered" AS MATERIALIZED (
    SELECT system.main.kanon_gather(run, "kanon#c") AS "kanon#arrived"
    FROM (
        SELECT "kanon#row" AS "row",
               system.main.dense_rank() OVER (ORDER BY ${person} ASC NULLS LAST) - 1 AS person,
               CASE WHEN ${per} IS NULL THEN 1 ELSE 0 END AS nobody,
               ${codes}
        FROM "kanon#read"
    ) AS "kanon#c", "kanon#run"
), "kanon#fit" AS MATERIALIZED (
    SELECT run, CASE WHEN refused IS NULL THEN true ELSE system.main.error(refused) END AS fitted
    FROM (
        SELECT run, system.main.kanon_fit_histories(run, (SELECT system.main.count("kanon#arrived") FROM "kanon#gathered")) AS refused
        FROM "kanon#run"
    )
), "kanon#celled" AS MATERIALIZED (
    SELECT "kanon#read".*, system.main.kanon_history_cells(run, "kanon#row") AS "kanon#v"
    FROM "kanon#read", "kanon#fit"
    WHERE fitted
), "kanon#rows" AS MATERIALIZED (
    SELECT * EXCLUDE ("kanon#key", "kanon#hash", "kanon#row", "kanon#v") REPLACE (
        ${cells}
    ), ${person} AS "kanon#person"
    FROM "kanon#celled"
)${exposed}, "kanon#keys" AS MATERIALIZED (
    -- the audit counts the very rows that are handed out: those with a token
    SELECT ${per} AS p, ${keys} FROM "kanon#rows" WHERE ${per} IS NOT NULL
), "kanon#own" AS MATERIALIZED (
    -- the columns that have one value in all rows of each person
    SELECT ${own} FROM (SELECT ${one} FROM "kanon#keys" GROUP BY p)
), "kanon#histories" AS MATERIALIZED (
    SELECT who, own, fact, system.main.row_number() OVER (PARTITION BY who ORDER BY fact ASC NULLS LAST) AS place
    FROM (
        SELECT system.main.dense_rank() OVER (ORDER BY system.main.create_sort_key(p, 'ASC NULLS LAST') ASC NULLS LAST) AS who,
               system.main.dense_rank() OVER (ORDER BY system.main.row(${of_person}) ASC NULLS LAST) AS own,
               system.main.dense_rank() OVER (ORDER BY system.main.row(${of_row}) ASC NULLS LAST) AS fact
        FROM "kanon#keys", "kanon#own"
    )
), "kanon#sets" AS MATERIALIZED (
    SELECT ${following} AS following
    FROM (SELECT system.main.count(*)::DOUBLE AS n FROM "kanon#histories" GROUP BY who)
), "kanon#found" AS (
    ${found}
), "kanon#least" AS (
    SELECT who, system.main.min(n) FILTER (size <= ${rows}) AS least, system.main.min(n) AS least_next
    FROM "kanon#found"
    GROUP BY who
), "kanon#gate" AS MATERIALIZED (
    SELECT CASE WHEN refused IS NULL THEN true ELSE system.main.error(refused) END AS passed
    FROM (
        SELECT system.main.kanon_histories_checked(
            run, (SELECT system.main.count(*) FROM "kanon#rows"), fewest, people, below, unlinked, [${flags}], ${exposed_figures}) AS refused
        FROM "kanon#run", "kanon#own", (
            SELECT system.main.min(least) AS fewest, system.main.count(*) AS people,
                   CASE WHEN (SELECT following <= ${most} FROM "kanon#sets")
                        THEN system.main.count(*) FILTER (least_next < ${k}) END AS below,
                   (SELECT system.main.count(DISTINCT "kanon#person") FROM "kanon#rows" WHERE ${per} IS NULL) AS unlinked
            FROM "kanon#least"
        )
    )
)
FROM (
    -- this branch is empty; it gives the columns their order and their own spelling, and types that list no values
    SELECT "kanon#s".* REPLACE (${heads}) FROM ${heard}"kanon#source" AS "kanon#s" WHERE false
    UNION ALL BY NAME
    SELECT "kanon#r".* EXCLUDE ("kanon#person") FROM "kanon#gate", "kanon#rows" AS "kanon#r" WHERE passed
) AS "kanon#t"
ORDER BY system.main.create_sort_key("kanon#t", 'ASC NULLS LAST') ASC NULLS LAST
