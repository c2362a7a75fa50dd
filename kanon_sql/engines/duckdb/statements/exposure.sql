"kanon#measured" AS MATERIALIZED (
    -- a table of many cells is looked at in one of so many parts: whole groups of equal values where a column has many of them
    -- (their number is asked for where it matters), else rows
    SELECT *, system.main.list_transform(counts, lambda count: count >= ${groups} * parts) AS varied,
           -- a column of so many values may single out too many rows: it is counted in all of them (0: the columns together)
           parts = 1 OR "kanon#together" * 2 > ${most} * rows AS together_whole,
           system.main.list_transform(counts, lambda count: parts = 1 OR count * 2 > ${alone} * rows) AS whole
    FROM (
        SELECT *, system.main.len(counts) AS columns, (1 + rows * system.main.len(counts) * ${qis} // ${budget})::UBIGINT AS parts
        FROM (
            -- the names end with the constant, which is there so that no list is empty
            SELECT CASE WHEN "kanon#rows" > 0 THEN system.main.json_keys(system.main.to_json("kanon#a"))[:-4] END AS names,
                   "kanon#rows" AS rows, "kanon#together",
                   system.main.list_value(*COLUMNS("kanon#a".* EXCLUDE ("kanon#rows", "kanon#together"))) AS counts
            FROM (
                SELECT system.main.approx_count_distinct(COLUMNS(*)),
                       system.main.approx_count_distinct(system.main.hash(*COLUMNS(*))) AS "kanon#together",
                       system.main.count(*) AS "kanon#rows"
                FROM (SELECT ${unchanged} FROM (SELECT *, true AS "kanon#one" FROM ${source}))
            ) AS "kanon#a"
        )
    )
), "kanon#unchanged" AS MATERIALIZED (
    -- of each row that is looked at the hashes of what is released unchanged, and of its quasi-identifiers: the columns together (0), where
    -- they are several, then each alone
    SELECT i, v, CASE WHEN sampled THEN x END AS x
    FROM (
        SELECT i, v, x, columns, CASE WHEN i = 0 THEN together_whole ELSE whole[i] END AS counted,
               (CASE WHEN i = 0 OR varied[i] THEN v ELSE row_hash END) % parts = 0 AS sampled
        FROM (
            SELECT "kanon#measured".*, x, system.main.hash(v, x) AS row_hash,
                   system.main.unnest(system.main.list_concat(system.main.list_value(system.main.hash(v)), v)) AS v,
                   system.main.unnest(system.main.range(columns + 1))::SMALLINT AS i
            FROM (
                SELECT system.main.list_value(*COLUMNS(* EXCLUDE ("kanon#x"))) AS v, "kanon#x" AS x
                FROM (
                    SELECT ${unchanged}, system.main.list_value(${identifying}) AS "kanon#x"
                    -- nothing is hashed where no column is released unchanged
                    FROM (SELECT *, true AS "kanon#one" FROM ${source} WHERE (SELECT columns > 1 FROM "kanon#measured"))
                )
            ), "kanon#measured"
            WHERE together_whole OR system.main.list_contains(whole, true)
                  OR system.main.hash(v, x) % parts = 0 OR system.main.hash(v) % parts = 0
                  OR system.main.list_contains(system.main.list_transform(v, lambda part: part % parts), 0)
        )
    )
    WHERE i < columns AND (i > 0 OR columns > 2) AND (sampled OR counted)
), "kanon#single" AS (
    -- rows whose value, or whose values in all these columns together, nobody else has
    SELECT i, system.main.sum(n)::BIGINT AS rows, system.main.count(CASE WHEN n = 1 THEN 1 END) AS single
    FROM (SELECT i, v, system.main.count(*) AS n FROM "kanon#unchanged" GROUP BY ALL)
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
        SELECT i, j, system.main.sum("kanon#g".n) AS size, system.main.sum("kanon#g".n * "kanon#c".hidden / "kanon#c".n) AS cells,
               system.main.max("kanon#g".n) AS top,
               system.main.arg_max("kanon#g".n * "kanon#c".hidden / "kanon#c".n, "kanon#g".n) AS top_cells
        FROM (
            SELECT i, j, v, x, system.main.count(*) AS n
            FROM (
                SELECT i, v, system.main.unnest(x) AS x, system.main.unnest(system.main.range(1, ${qis} + 1)) AS j
                FROM "kanon#unchanged" WHERE i > 0 AND x IS NOT NULL
            )
            GROUP BY ALL
        ) AS "kanon#g" JOIN "kanon#concealed" AS "kanon#c" USING (j, x)
        GROUP BY i, j, v
    )
), "kanon#exposure" AS (
    -- guesses from at least one other row, and from at least four
    SELECT {
        'names': names,
        'rows': rows,
        'parts': parts,
        'whole': system.main.list_concat(system.main.list_value(together_whole), whole),
        'single': (SELECT system.main.list(system.main.struct_pack(i := i, rows := rows, single := single)) FROM "kanon#single"),
        'hidden': (SELECT system.main.list(system.main.struct_pack(j := j, cells := cells, common := common)) FROM (
            SELECT j, system.main.sum(hidden) AS cells, system.main.max(n) / system.main.sum(n) AS common
            FROM "kanon#concealed" GROUP BY j
        )),
        'guessed': (SELECT system.main.list("kanon#s") FROM (
            SELECT i, j, system.main.sum(cells) AS cells,
                   system.main.sum(CASE WHEN size >= 2 THEN hit ELSE 0 END) AS hit,
                   system.main.sum(CASE WHEN size >= 2 THEN miss ELSE 0 END) AS miss,
                   system.main.sum(CASE WHEN size >= 5 THEN hit ELSE 0 END) AS hit_of_five,
                   system.main.sum(CASE WHEN size >= 5 THEN miss ELSE 0 END) AS miss_of_five
            FROM "kanon#guessed" GROUP BY i, j
        ) AS "kanon#s")
    } AS told
    FROM "kanon#measured"
)
