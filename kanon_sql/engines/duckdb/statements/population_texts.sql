, ${texts} AS MATERIALIZED (
    -- the texts of a column that is generalized: those that no row type has are numbered downward from -2
    SELECT value, coalesce(number, -1 - system.main.row_number() OVER (
               PARTITION BY number IS NULL ORDER BY value COLLATE "binary" ASC NULLS LAST)) AS code
    FROM (SELECT ${value} AS value, system.main.min(number) AS number FROM ${everybody} GROUP BY 1)
)
