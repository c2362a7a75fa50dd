"kanon#measured" AS MATERIALIZED (
    -- a table of many cells is looked at in one of so many parts: whole groups of equal values where a column has many of them
    -- (their number is asked for where it matters), else rows
    SELECT *, system.main.list_transform(counts, lambda count: count >= ${groups} * parts) AS varied,
           -- a column of so many values may single out too many rows: it is counted in all of them (-1: the columns together)
           parts = 1 OR "kanon#together" * 2 > ${most} * rows AS together_whole,
           system.main.list_transform(counts, lambda count, i:
               parts = 1 OR i <= columns AND count * 2 * (shared - 1) > ${alone} * rows) AS whole
    FROM (
        SELECT *, system.main.len(names) AS columns,
               system.main.greatest(2, system.main.least(${most_shared}, ${people} // ${people_per_value})) AS shared,
               (1 + rows * system.main.len(counts) * ${qis} // ${budget})::UBIGINT AS parts
        FROM (
            -- the names begin with the constant, which is there so that no list is empty; sensitive columns come last
            SELECT CASE WHEN "kanon#rows" > 0 THEN system.main.json_keys(system.main.to_json("kanon#a"))[2:${last}] END AS names,
                   "kanon#rows" AS rows, "kanon#together",
                   system.main.list_slice(system.main.list_value(*COLUMNS("kanon#a".* EXCLUDE ("kanon#rows", "kanon#together"))), 2, -1) AS counts
            FROM (
                SELECT system.main.approx_count_distinct(COLUMNS(*)),
                       system.main.approx_count_distinct(system.main.hash(*${not_sensitive})) AS "kanon#together",
                       system.main.count(*) AS "kanon#rows"
                FROM (SELECT ${unchanged} FROM (SELECT true AS "kanon#one", * FROM ${source}))
            ) AS "kanon#a"
        )
    )
), "kanon#unchanged" AS MATERIALIZED (
    -- of each row that is looked at the hashes of what is released unchanged, and of its quasi-identifiers: all columns together
    -- (-2), if some are sensitive, the others together (-1), if they are several, the constant (0), and each alone; "sized" are
    -- values of which all rows are there (few values single out next to no row)
    SELECT i, v, person, grouped, drawn, counted OR grouped AS sized, CASE WHEN grouped OR drawn THEN x END AS x
    FROM (
        SELECT i, v, x, person, columns, counts, ${counted} AS counted,
               (i < 0 OR varied[i]) AND v % parts = 0 AS grouped, i > 0 AND row_hash % parts = 0 AS drawn
        FROM (
            SELECT * EXCLUDE (v), system.main.hash(v, x) AS row_hash,
                   system.main.unnest(system.main.list_concat([${together}], v)) AS v,
                   system.main.unnest(system.main.range(-${togethers}, system.main.len(v)))::SMALLINT AS i
            FROM (
                SELECT system.main.list_value(*COLUMNS(* EXCLUDE ("kanon#x", "kanon#person"))) AS v, "kanon#x" AS x,
                       "kanon#person" AS person
                FROM (
                    SELECT ${unchanged}, system.main.list_value(${identifying}) AS "kanon#x", ${person} AS "kanon#person"
                    -- nothing is hashed where no column is released unchanged
                    FROM (
                        SELECT true AS "kanon#one", * FROM ${source}
                        WHERE (SELECT system.main.len(counts) > 0 FROM "kanon#measured")
                    )
                )
            ), "kanon#measured"
            WHERE together_whole OR system.main.list_contains(whole, true) OR system.main.hash(v, x) % parts = 0
                  OR system.main.list_contains(system.main.list_transform(v, lambda part: part % parts), 0)
                  OR ${one_in_parts}
        )
    )
    WHERE (i > 0 OR i = -1 AND columns > 1 OR i = -2 AND system.main.len(counts) > 1) AND (grouped OR drawn OR counted)
), "kanon#single" AS MATERIALIZED (
    -- rows whose value, or whose values in all these columns together, no other row has ("single"), or no other person ("lone"),
    -- or too few people share ("few"). Of a part of the values the number of rows is uncertain where some are frequent, more so
    -- than the number of those of few people: then it is that of an average part; as it is where the part has missed a frequent value, or has one
    SELECT i, CASE WHEN exact OR drawn::DOUBLE * drawn * few_squares >= squares * few * few
                        AND system.main.abs(drawn - rows / parts) <= 4 * system.main.sqrt(squares) THEN drawn
                   ELSE rows // parts END::BIGINT AS rows,
           single, lone, few, exact
    FROM (
        SELECT i, ${counted} AS exact, rows, parts, system.main.count(CASE WHEN n = 1 THEN 1 END) AS single,
               system.main.sum(CASE WHEN people < 2 THEN n ELSE 0 END)::BIGINT AS lone,
               system.main.sum(CASE WHEN people < shared THEN n ELSE 0 END)::BIGINT AS few,
               system.main.sum(CASE WHEN people < shared THEN n::DOUBLE * n ELSE 0 END) AS few_squares,
               system.main.sum(n)::BIGINT AS drawn, system.main.sum(n::DOUBLE * n) AS squares
        FROM (${alike}), "kanon#measured"
        GROUP BY ALL
    )
), "kanon#singled" AS (
    -- one row: what is known before the search
    SELECT names, rows, shared,
           (SELECT system.main.list(system.main.struct_pack(
                i := i, rows := rows, single := single, lone := lone, few := few, exact := exact)) FROM "kanon#single") AS single
    FROM "kanon#measured"
)
