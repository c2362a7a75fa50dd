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
    -- they are several, then each alone; "sized" are values of which all rows are there (few values single out next to no row)
    SELECT i, v, person, grouped, drawn, counted OR grouped AS sized, CASE WHEN grouped OR drawn THEN x END AS x
    FROM (
        SELECT i, v, x, person, columns, CASE WHEN i = 0 THEN together_whole ELSE whole[i] END AS counted,
               (i = 0 OR varied[i]) AND v % parts = 0 AS grouped, i > 0 AND row_hash % parts = 0 AS drawn
        FROM (
            SELECT "kanon#measured".*, x, "kanon#person" AS person, system.main.hash(v, x) AS row_hash,
                   system.main.unnest(system.main.list_concat(system.main.list_value(system.main.hash(v)), v)) AS v,
                   system.main.unnest(system.main.range(columns + 1))::SMALLINT AS i
            FROM (
                SELECT system.main.list_value(*COLUMNS(* EXCLUDE ("kanon#x", "kanon#person"))) AS v, "kanon#x" AS x, "kanon#person"
                FROM (
                    SELECT ${unchanged}, system.main.list_value(${identifying}) AS "kanon#x", ${person} AS "kanon#person"
                    -- nothing is hashed where no column is released unchanged
                    FROM (SELECT *, true AS "kanon#one" FROM ${source} WHERE (SELECT columns > 1 FROM "kanon#measured"))
                )
            ), "kanon#measured"
            WHERE together_whole OR system.main.list_contains(whole, true)
                  OR system.main.hash(v, x) % parts = 0 OR system.main.hash(v) % parts = 0
                  OR system.main.list_contains(system.main.list_transform(v, lambda part: part % parts), 0)
        )
    )
    WHERE i < columns AND (i > 0 OR columns > 2) AND (grouped OR drawn OR counted)
), "kanon#single" AS (
    -- rows whose value, or whose values in all these columns together, no other row has ("single"), or no other person ("lone").
    -- Of a part of the values the number of rows is uncertain where some are frequent, more so than the number of single ones: then it is that of an average part
    SELECT i, CASE WHEN CASE WHEN i = 0 THEN together_whole ELSE whole[i] END OR drawn::DOUBLE * drawn >= squares * single THEN drawn
                   ELSE rows // parts END AS rows, single, lone
    FROM (
        SELECT i, system.main.count(CASE WHEN n = 1 THEN 1 END) AS single,
               system.main.sum(CASE WHEN lone THEN n ELSE 0 END)::BIGINT AS lone, system.main.sum(n)::BIGINT AS drawn,
               system.main.sum(n::DOUBLE * n) AS squares
        FROM (
            SELECT i, v, system.main.count(*) AS n, ${lone} AS lone FROM "kanon#unchanged" WHERE sized GROUP BY i, v
        )
        GROUP BY i
    ), "kanon#measured"
), "kanon#concealed" AS MATERIALIZED (
    -- how many cells of each value of a quasi-identifier are hidden, wholly or by a coarser label
    SELECT j, x, system.main.sum(n) AS n, system.main.sum(CASE WHEN hidden THEN n ELSE 0 END) AS hidden
    FROM (
${concealed}
    )
    GROUP BY ALL
), "kanon#pairs" AS MATERIALIZED (
    SELECT i, j, v, x, grouped, system.main.count(*) AS n, system.main.count(CASE WHEN drawn THEN 1 END) AS drawn
    FROM (
        SELECT i, v, grouped, drawn, system.main.unnest(x) AS x, system.main.unnest(system.main.range(1, ${qis} + 1)) AS j
        FROM "kanon#unchanged" WHERE i > 0 AND x IS NOT NULL
    )
    GROUP BY ALL
), "kanon#looked_at" AS (
    -- rows show what frequent values give back, whole groups what rare ones do
    SELECT false AS grouped, i, j, v, x, drawn AS n FROM "kanon#pairs" WHERE drawn > 0
    UNION ALL
    SELECT true, i, j, v, x, n FROM "kanon#pairs" WHERE grouped AND (SELECT parts > 1 FROM "kanon#measured")
), "kanon#estimated" AS MATERIALIZED (
${estimated}
), "kanon#suspects" AS MATERIALIZED (
    -- what a part of the table gives back to a quarter of the limit is counted in the whole table
    SELECT DISTINCT i, j
    FROM "kanon#estimated"
    WHERE system.main.greatest(hit, hit_of_five) > ${most} / 4 * cells AND (SELECT parts > 1 FROM "kanon#measured")
), "kanon#whole" AS (
    SELECT true AS grouped, i, j, v[i] AS v, x[j] AS x, system.main.count(*) AS n
    FROM (
        SELECT system.main.list_value(*COLUMNS(* EXCLUDE ("kanon#x"))) AS v, "kanon#x" AS x
        FROM (
            SELECT ${unchanged}, system.main.list_value(${identifying}) AS "kanon#x"
            FROM (SELECT *, true AS "kanon#one" FROM ${source} WHERE (SELECT system.main.count(*) > 0 FROM "kanon#suspects"))
        )
    ), "kanon#suspects"
    GROUP BY ALL
), "kanon#exact" AS (
${exact}
), "kanon#exposure" AS (
    SELECT {
        'names': names,
        'rows': rows,
        'parts': parts,
        'whole': system.main.list_concat(system.main.list_value(together_whole), whole),
        'single': (
            SELECT system.main.list(system.main.struct_pack(i := i, rows := rows, single := single, lone := lone)) FROM "kanon#single"
        ),
        'hidden': (SELECT system.main.list(system.main.struct_pack(j := j, cells := cells, common := common)) FROM (
            SELECT j, system.main.sum(hidden) AS cells, system.main.max(n) / system.main.sum(n) AS common
            FROM "kanon#concealed" GROUP BY j
        )),
        'guessed': (SELECT system.main.list("kanon#s") FROM (
            SELECT *, (SELECT parts = 1 FROM "kanon#measured") AS exact FROM "kanon#estimated" ANTI JOIN "kanon#suspects" USING (i, j)
            UNION ALL
            SELECT *, true FROM "kanon#exact"
        ) AS "kanon#s")
    } AS told
    FROM "kanon#measured"
)
