, ${labels} AS MATERIALIZED (
    -- which values of a column each released label stands for, read from the label itself
    WITH "kanon#shown" AS MATERIALIZED (
        SELECT DISTINCT labels[${number}] COLLATE "binary" AS label FROM "kanon#fitted" WHERE labels[${number}] IS NOT NULL
    )
    SELECT code, label FROM (
        ${question}
    )
    UNION
    SELECT code, value AS label FROM ${texts}
)
