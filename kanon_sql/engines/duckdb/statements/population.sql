, ${kinds} AS MATERIALIZED (
    -- for each column whether its values cannot be compared; their types are known without a row
    SELECT ${apart} AS apart
    FROM (SELECT true)
    LEFT JOIN "kanon#types" ON false
    LEFT JOIN ${population} AS ${alias} ON false
), ${everybody} AS MATERIALIZED (
    -- row types, and the one reading of the population, in columns of common types
    SELECT number, NULL::BIGINT AS n, ${own} FROM "kanon#types", ${kinds}
    UNION ALL
    SELECT NULL, system.main.count(*), ${theirs} FROM ${population} AS ${alias}, ${kinds} GROUP BY ALL
)${texts}, ${known} AS MATERIALIZED (
    -- a value is known by the first row type that has it; what no row type has is not known
    SELECT number, n, ${codes}
    FROM ${everybody} AS "kanon#e"
    ${joins}
), ${coded} AS MATERIALIZED (
    SELECT ${grouped}, system.main.sum(n)::BIGINT AS n FROM ${known} WHERE n IS NOT NULL GROUP BY ALL
)
