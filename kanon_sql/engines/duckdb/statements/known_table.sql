"kanon#rows" AS MATERIALIZED (
    SELECT system.main.row_number() OVER () AS "kanon#class", * FROM ${table}
), "kanon#coded" AS MATERIALIZED (
    SELECT class, 1 AS size, ${ranks}
    FROM (SELECT "kanon#class" AS class, ${keys} FROM "kanon#rows")
)