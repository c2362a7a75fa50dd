, "kanon#looks" AS MATERIALIZED (
    -- the class of each piece, by the quasi-identifiers that it shows
    SELECT piece, dense_rank() OVER (ORDER BY shown) AS class
    FROM (
        SELECT "kanon#piece" AS piece,
               create_sort_key(row(*COLUMNS("kanon#v".* EXCLUDE (${unclassed}))), 'ASC NULLS FIRST') AS shown
        FROM "kanon#values" AS "kanon#v"
    )
)
