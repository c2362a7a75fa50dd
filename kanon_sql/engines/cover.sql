, ${check} AS MATERIALIZED (
    -- what each value of the column became, wherever it is shown at all
    WITH "kanon#shown" AS MATERIALIZED (
        SELECT DISTINCT CAST(qi.${column} AS VARCHAR) AS value, labels[${number}] AS label
        FROM "kanon#pieces" WHERE labels[${number}] IS NOT NULL
    )
    ${question}
)