"kanon#concealed" AS MATERIALIZED (
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
${whole}), "kanon#exposure" AS (
    SELECT {
        'names': names,
        'rows': rows,
        'shared': shared,
        'single': single,
        'hidden': (SELECT system.main.list(system.main.struct_pack(j := j, cells := cells, common := common)) FROM (
            SELECT j, system.main.sum(hidden) AS cells, system.main.max(n) / system.main.sum(n) AS common
            FROM "kanon#concealed" GROUP BY j
        )),
        'guessed': (SELECT system.main.list("kanon#s") FROM (
            ${guessed}
        ) AS "kanon#s")
    } AS told
    FROM "kanon#singled"
)
