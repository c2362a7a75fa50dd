-- names(query): the names of the columns of a query.

SELECT system.main.list_value(*COLUMNS(*)) AS names FROM (
        SELECT system.main.alias(COLUMNS(* EXCLUDE ("kanon#one")))
        FROM (SELECT 1 AS "kanon#one") LEFT JOIN (<query> LIMIT 1) ON true
    )
