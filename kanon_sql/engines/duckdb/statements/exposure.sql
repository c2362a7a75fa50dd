"kanon#measured" AS MATERIALIZED (
    -- a table of many cells is looked at in one of so many parts: whole groups of equal values where a column has many of them
    -- (their number is asked for where it matters), else rows
    SELECT names, columns, rows, parts, system.main.list_transform(counts, lambda count: count >= ${groups} * parts) AS varied
    FROM (
        SELECT *, system.main.len(names) AS columns, (1 + rows * system.main.len(names) * ${qis} // ${budget})::UBIGINT AS parts
        FROM (
            SELECT system.main.list_value(*COLUMNS(*)) AS names
            FROM (
                SELECT system.main.alias(COLUMNS(* EXCLUDE (${roles})))
                FROM (SELECT *, true AS "kanon#one" FROM ${source} LIMIT 1)
            )
        ), (SELECT system.main.count(*) AS rows FROM ${source})
    ), (
        SELECT system.main.list_value(*COLUMNS(*)) AS counts
        FROM (
            SELECT system.main.approx_count_distinct(COLUMNS(* EXCLUDE (${roles})))
            FROM (SELECT *, true AS "kanon#one" FROM ${source})
        )
    )
), "kanon#hashed" AS MATERIALIZED (
    -- of each row that is looked at the hashes of what is released unchanged and of its quasi-identifiers; the constant is there so that
    -- no list is empty
    SELECT v, x, whole
    FROM (
        SELECT v, x, system.main.hash(v, x) AS whole
        FROM (
            SELECT system.main.list_value(*COLUMNS(* EXCLUDE ("kanon#x"))) AS v, "kanon#x" AS x
            FROM (
                SELECT system.main.hash(COLUMNS(* EXCLUDE (${roles}))), system.main.list_value(${identifying}) AS "kanon#x"
                FROM (SELECT *, true AS "kanon#one" FROM ${source})
            )
        )
    ), "kanon#measured"
    WHERE columns > 1 AND (parts = 1 OR whole % parts = 0 OR system.main.hash(v) % parts = 0
                           OR system.main.list_contains(system.main.list_transform(v, lambda part: part % parts), 0))
), "kanon#unchanged" AS MATERIALIZED (
    SELECT i, v, x
    FROM (
        SELECT parts, varied, x, whole, system.main.unnest(v) AS v,
               system.main.unnest(system.main.range(1, columns + 1)) AS i, columns
        FROM "kanon#hashed", "kanon#measured"
    )
    WHERE i < columns AND (CASE WHEN varied[i] THEN v ELSE whole END) % parts = 0
), "kanon#single" AS (
    -- rows whose value, or whose values in all these columns together, nobody else has
    SELECT i, system.main.sum(n)::BIGINT AS rows, system.main.count(CASE WHEN n = 1 THEN 1 END) AS single
    FROM (
        SELECT i, v, system.main.count(*) AS n FROM "kanon#unchanged" GROUP BY ALL
        UNION ALL
        SELECT 0, system.main.hash(v), system.main.count(*) FROM "kanon#hashed", "kanon#measured"
        WHERE columns > 2 AND system.main.hash(v) % parts = 0 GROUP BY ALL
    )
    GROUP BY i
), "kanon#concealed" AS MATERIALIZED (
    -- how many cells of each value of a quasi-identifier are hidden, wholly or by a coarser label
    SELECT j, x, system.main.sum(n) AS n, system.main.sum(CASE WHEN hidden THEN n ELSE 0 END) AS hidden
    FROM (
${concealed}
    )
    GROUP BY ALL
), "kanon#guessed" AS (
    -- a cell is guessed from the other rows with the same unchanged value, where nearly all of them agree: then they are right of
    -- the commonest value alone, and wrong of all others (of two rows that differ, of both)
    SELECT i, j, size, cells,
           CASE WHEN (top - 1) * 100 >= ${agreed} * (size - 1) THEN top_cells ELSE 0 END AS hit,
           CASE WHEN top * 100 < ${agreed} * (size - 1) THEN 0 WHEN size = 2 AND top = 1 THEN cells ELSE cells - top_cells END AS miss
    FROM (
        SELECT i, j, system.main.sum(n) AS size, system.main.sum(cells) AS cells, system.main.max(n) AS top,
               system.main.arg_max(cells, n) AS top_cells
        FROM (
            SELECT i, j, v, "kanon#g".n AS n, "kanon#g".n * "kanon#c".hidden / "kanon#c".n AS cells
            FROM (
                SELECT i, j, v, x, system.main.count(*) AS n
                FROM (
                    SELECT i, v, system.main.unnest(x) AS x, system.main.unnest(system.main.range(1, ${qis} + 1)) AS j
                    FROM "kanon#unchanged"
                )
                GROUP BY ALL
            ) AS "kanon#g" JOIN "kanon#concealed" AS "kanon#c" USING (j, x)
        )
        GROUP BY i, j, v
    )
), "kanon#exposure" AS (
    SELECT {
        'names': (SELECT names FROM "kanon#measured"),
        'parts': (SELECT parts FROM "kanon#measured"),
        'single': (SELECT system.main.list(system.main.struct_pack(i := i, rows := rows, single := single)) FROM "kanon#single"),
        'hidden': (SELECT system.main.list(system.main.struct_pack(j := j, cells := cells, common := common)) FROM (
            SELECT j, system.main.sum(hidden) AS cells, system.main.max(n) / system.main.sum(n) AS common
            FROM "kanon#concealed" GROUP BY j
        )),
        'guessed': (SELECT system.main.list(system.main.struct_pack(i := i, j := j, cells := cells, hit := hit, miss := miss)) FROM (
            SELECT i, j, system.main.sum(cells) AS cells, system.main.sum(CASE WHEN size >= least THEN hit ELSE 0 END) AS hit,
                   system.main.sum(CASE WHEN size >= least THEN miss ELSE 0 END) AS miss
            FROM "kanon#guessed", (VALUES (2), (5)) AS "kanon#l"(least)
            GROUP BY i, j, least
        ))
    } AS told
)
