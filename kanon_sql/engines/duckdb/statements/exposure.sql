"kanon#measured" AS MATERIALIZED (
    -- a table of many cells is looked at in one of so many parts: whole groups of equal values where a column has many of them
    -- (their number is asked for where it matters), else rows
    SELECT *, system.main.list_transform(counts, lambda count: count >= ${groups} * parts) AS varied
    FROM (
        SELECT *, system.main.len(counts) AS columns, (1 + rows * system.main.len(counts) * ${qis} // ${budget})::UBIGINT AS parts
        FROM (
            -- the names end with the constant, which is there so that no list is empty, and the number of the rows
            SELECT CASE WHEN "kanon#rows" > 0 THEN system.main.json_keys(system.main.to_json("kanon#a")) END AS names, "kanon#rows" AS rows,
                   system.main.list_value(*COLUMNS("kanon#a".* EXCLUDE ("kanon#rows"))) AS counts
            FROM (
                SELECT system.main.approx_count_distinct(COLUMNS(* EXCLUDE (${roles}))), system.main.count(*) AS "kanon#rows"
                FROM (SELECT *, true AS "kanon#one" FROM ${source})
            ) AS "kanon#a"
        )
    )
)${counted}, "kanon#exposure" AS (
    SELECT {
        'names': names,
        'rows': rows,
        'parts': parts,
        'single': (SELECT system.main.list("kanon#s") FROM "kanon#single" AS "kanon#s"),
        'hidden': (SELECT system.main.list("kanon#s") FROM "kanon#hidden" AS "kanon#s"),
        'guessed': (SELECT system.main.list("kanon#s") FROM "kanon#guessed" AS "kanon#s")${every}
    } AS told
    FROM "kanon#measured"
)
