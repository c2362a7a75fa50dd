-- tally(n): how many rows of each class have each value of the sensitive attribute.

SELECT system.main.create_sort_key(system.main.row(true, *COLUMNS(* EXCLUDE ("kanon#value"))), ''ASC NULLS FIRST'') AS class,
       "kanon#value" AS value,
       system.main.count(*) AS <n>
FROM (
    @spelled(SELECT {2} AS "kanon#value", {0} FROM {1} AS source)
) AS source
GROUP BY 1, 2
