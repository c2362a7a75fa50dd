, ${check} AS MATERIALIZED (
    -- no two rectangles have a point in common; sides are compared by the places of their ends among all ends
    WITH "kanon#sides" AS MATERIALIZED (
        SELECT DISTINCT labels[${x}] COLLATE "binary" AS x, labels[${y}] COLLATE "binary" AS y
        FROM "kanon#fitted" WHERE labels[${x}] IS NOT NULL AND labels[${y}] IS NOT NULL
    )${read}, "kanon#places" AS MATERIALIZED (
        SELECT number, system.main.row_number() OVER (ORDER BY number ASC NULLS LAST) AS place
        FROM (SELECT low_number FROM "kanon#read" UNION SELECT high_number FROM "kanon#read") AS ends(number)
        WHERE number IS NOT NULL
    ), "kanon#ends" AS MATERIALIZED (
        SELECT label, low.place AS low, high.place AS high
        FROM "kanon#read"
        LEFT JOIN "kanon#places" AS low ON low.number = low_number
        LEFT JOIN "kanon#places" AS high ON high.number = high_number
    ), "kanon#boxes" AS MATERIALIZED (
        SELECT system.main.row_number() OVER (ORDER BY x ASC NULLS LAST, y ASC NULLS LAST) AS box,
               wide.low AS west, wide.high AS east, tall.low AS south, tall.high AS north
        FROM "kanon#sides"
        LEFT JOIN "kanon#ends" AS wide ON wide.label = x
        LEFT JOIN "kanon#ends" AS tall ON tall.label = y
    )
    SELECT system.main.count(*)
        + (SELECT system.main.count(*) FROM "kanon#boxes" WHERE (west + east + south + north) IS NULL) AS wrong
    FROM "kanon#boxes" AS one JOIN "kanon#boxes" AS other
        ON one.box < other.box AND one.west <= other.east AND other.west <= one.east
           AND one.south <= other.north AND other.south <= one.north
)