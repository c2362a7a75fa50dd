, "kanon#looks" AS MATERIALIZED (
    -- the class of each piece, by the quasi-identifiers that it shows
    SELECT piece, system.main.dense_rank() OVER (ORDER BY shown) AS class
    FROM (
        SELECT "kanon#piece" AS piece,
               system.main.create_sort_key(system.main.row(*COLUMNS("kanon#v".* EXCLUDE (${unclassed}))), 'ASC NULLS FIRST')
                   AS shown
        FROM "kanon#values" AS "kanon#v"
    )
)
