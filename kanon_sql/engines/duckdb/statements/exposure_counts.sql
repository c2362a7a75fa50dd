, "kanon#unchanged${of}" AS MATERIALIZED (
    -- of each row that is looked at the hashes of what is released unchanged, and of its quasi-identifiers: the columns together (0), where
    -- they are several, or one of them
${looked}
), "kanon#concealed${of}" AS MATERIALIZED (
    -- how many cells of each value of a quasi-identifier are hidden, wholly or by a coarser label
    SELECT j, x, system.main.sum(n) AS n, system.main.sum(CASE WHEN hidden THEN n ELSE 0 END) AS hidden
    FROM (
${concealed}
    )
    GROUP BY ALL
), "kanon#hidden${of}" AS MATERIALIZED (
    SELECT j, system.main.sum(hidden) AS cells, system.main.max(n) / system.main.sum(n) AS common FROM "kanon#concealed${of}" GROUP BY j
), "kanon#single${of}" AS MATERIALIZED (
    -- rows whose value, or whose values in all these columns together, no other row has
    SELECT i, system.main.sum(n)::BIGINT AS rows, system.main.count(CASE WHEN n = 1 THEN 1 END) AS single
    FROM (SELECT i, v, system.main.count(*) AS n FROM "kanon#unchanged${of}" GROUP BY ALL)
    GROUP BY i
), "kanon#guessed${of}" AS MATERIALIZED (
    -- guesses from at least one other row, and from at least four
    SELECT i, j, system.main.sum(cells) AS cells,
           system.main.sum(CASE WHEN size >= 2 THEN hit ELSE 0 END) AS hit,
           system.main.sum(CASE WHEN size >= 2 THEN miss ELSE 0 END) AS miss,
           system.main.sum(CASE WHEN size >= 5 THEN hit ELSE 0 END) AS hit_of_five,
           system.main.sum(CASE WHEN size >= 5 THEN miss ELSE 0 END) AS miss_of_five
    FROM (
        -- a cell is guessed from the other rows with the same unchanged value, if nearly all of them agree: the guess is right for
        -- the commonest value alone, and wrong for all others (of two rows that differ, for both)
        SELECT i, j, size, cells,
               CASE WHEN (top - 1) * 100 >= ${agreed} * (size - 1) THEN top_cells ELSE 0 END AS hit,
               CASE WHEN top * 100 < ${agreed} * (size - 1) THEN 0 WHEN size = 2 AND top = 1 THEN cells ELSE cells - top_cells END AS miss
        FROM (
            SELECT i, j, system.main.sum("kanon#g".n) AS size, system.main.sum("kanon#g".n * "kanon#c".hidden / "kanon#c".n) AS cells,
                   system.main.max("kanon#g".n) AS top,
                   system.main.arg_max("kanon#g".n * "kanon#c".hidden / "kanon#c".n, "kanon#g".n) AS top_cells
            FROM (
                SELECT i, j, v, x, system.main.count(*) AS n
                FROM (
                    SELECT i, v, system.main.unnest(x) AS x, system.main.unnest(system.main.range(1, ${qis} + 1)) AS j
                    FROM "kanon#unchanged${of}" WHERE i > 0
                )
                GROUP BY ALL
            ) AS "kanon#g" JOIN "kanon#concealed${of}" AS "kanon#c" USING (j, x)
            GROUP BY i, j, v
        )
    )
    GROUP BY i, j
)
