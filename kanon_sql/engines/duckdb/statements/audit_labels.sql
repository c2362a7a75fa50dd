, ${labels} AS MATERIALIZED (
    -- which values of a column each released label stands for, read from the label itself; no two labels of a layer share a value
    WITH "kanon#shown" AS MATERIALIZED (
        SELECT DISTINCT labels[${number}] COLLATE "binary" AS label FROM "kanon#fitted" WHERE labels[${number}] IS NOT NULL
    ), "kanon#pairs" AS MATERIALIZED (
        SELECT code, label, system.main.max(layer) AS layer
        FROM (
            ${question}
            UNION ALL
            SELECT code, value, 0 FROM ${texts}
        )
        GROUP BY code, label
    ), "kanon#names" AS MATERIALIZED (
        SELECT label, system.main.row_number() OVER () AS id, system.main.max(layer) AS layer FROM "kanon#pairs" GROUP BY label
    ), "kanon#layers" AS (
        SELECT code, "kanon#n".*, system.main.count(*) OVER (PARTITION BY code, "kanon#n".layer) > 1 AS shared
        FROM "kanon#pairs" AS "kanon#v" JOIN "kanon#names" AS "kanon#n" ON "kanon#v".label IS NOT DISTINCT FROM "kanon#n".label
    )
    -- a label that shares values with another of its layer is a layer of its own
    SELECT code, label, id, system.main.dense_rank() OVER (ORDER BY layer ASC NULLS LAST, alone ASC NULLS LAST) AS layer
    FROM (
        SELECT *, CASE WHEN system.main.bool_or(shared) OVER (PARTITION BY id) THEN id ELSE 0 END AS alone FROM "kanon#layers"
    )
)
