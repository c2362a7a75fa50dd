-- The people of the rows that were never released, each with the key of a row, and whether some row of them was released.
CREATE OR REPLACE TEMP TABLE "kanon#fresh_people" AS
SELECT "kanon#p".*, person IN (SELECT system.main.unnest(people) FROM ${ledger}) AS known
FROM (SELECT "kanon#key" AS key, system.main.unnest("kanon#people") AS person FROM temp.main."kanon#read") AS "kanon#p"
ANTI JOIN ${ledger} AS "kanon#l" ON "kanon#l".key = "kanon#p".key
WHERE person IS NOT NULL
