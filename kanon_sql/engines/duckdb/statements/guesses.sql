    -- a cell is guessed from the other rows with the same unchanged value, where nearly all of them agree: then they are right of
    -- the commonest value alone, and wrong of all others (of two rows that differ, of both); from at least one other row, and from at least four
    SELECT grouped, i, j, system.main.sum(cells) AS cells,
           system.main.sum(CASE WHEN size >= 2 THEN hit ELSE 0 END) AS hit,
           system.main.sum(CASE WHEN size >= 2 THEN miss ELSE 0 END) AS miss,
           system.main.sum(CASE WHEN size >= 5 THEN hit ELSE 0 END) AS hit_of_five,
           system.main.sum(CASE WHEN size >= 5 THEN miss ELSE 0 END) AS miss_of_five
    FROM (
        SELECT grouped, i, j, size, cells,
               CASE WHEN (top - 1) * 100 >= ${agreed} * (size - 1) THEN top_cells ELSE 0 END AS hit,
               CASE WHEN top * 100 < ${agreed} * (size - 1) THEN 0
                    WHEN size = 2 AND top = 1 THEN cells ELSE cells - top_cells END AS miss
        FROM (
            SELECT grouped, i, j, system.main.sum("kanon#g".n) AS size,
                   system.main.sum("kanon#g".n * "kanon#c".hidden / "kanon#c".n) AS cells, system.main.max("kanon#g".n) AS top,
                   system.main.arg_max("kanon#g".n * "kanon#c".hidden / "kanon#c".n, "kanon#g".n) AS top_cells
            FROM ${pairs} AS "kanon#g" JOIN "kanon#concealed" AS "kanon#c" USING (j, x)
            GROUP BY grouped, i, j, v
        )
    )
    GROUP BY grouped, i, j