, ${check} AS MATERIALIZED (
    -- what each value of the column became, wherever it is shown at all; texts by their bytes, whatever the collation
    WITH "kanon#shown" AS MATERIALIZED (
        SELECT DISTINCT CAST(qi.${column} AS VARCHAR) COLLATE "binary" AS value, ${label} COLLATE "binary" AS label
        FROM "kanon#fitted" WHERE labels[${number}] IS NOT NULL
    )
    ${question}
)