, ${tally} AS MATERIALIZED (
    -- whose rows each class has, among the very rows that are handed out: what the column calls equal is one person
    SELECT "kanon#class" AS class, ${value} AS label, ${number} AS n FROM "kanon#rows" AS "kanon#r" GROUP BY 1, 2
)
