, ${check} AS MATERIALIZED (
    -- no two rectangles have a point in common
    WITH "kanon#sides" AS (
        SELECT DISTINCT labels[${x}] AS x, labels[${y}] AS y
        FROM "kanon#pieces" WHERE labels[${x}] IS NOT NULL AND labels[${y}] IS NOT NULL
    ), "kanon#boxes" AS MATERIALIZED (
        SELECT system.main.row_number() OVER (ORDER BY x, y) AS box,
               TRY_CAST(coalesce(system.main.nullif(system.main.regexp_extract(x, '^\[(.*), ', 1), ''), x) AS DECIMAL(38, 15))
                   AS west,
               TRY_CAST(coalesce(system.main.nullif(system.main.regexp_extract(x, ', (.*)\]$$', 1), ''), x) AS DECIMAL(38, 15))
                   AS east,
               TRY_CAST(coalesce(system.main.nullif(system.main.regexp_extract(y, '^\[(.*), ', 1), ''), y) AS DECIMAL(38, 15))
                   AS south,
               TRY_CAST(coalesce(system.main.nullif(system.main.regexp_extract(y, ', (.*)\]$$', 1), ''), y) AS DECIMAL(38, 15))
                   AS north
        FROM "kanon#sides"
    )
    SELECT system.main.count(*) + (SELECT system.main.count(*) FROM "kanon#boxes" WHERE (west + east + south + north) IS NULL)
        AS wrong
    FROM "kanon#boxes" AS one JOIN "kanon#boxes" AS other
        ON one.box < other.box AND one.west <= other.east AND other.west <= one.east
           AND one.south <= other.north AND other.south <= one.north
)