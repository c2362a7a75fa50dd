-- The rows of a batch of which the release shows nothing: whether the source shows no more of them, whether all rows that are
-- alike in the source are among them (else they fill up the class of others), and how many these are. Slots: see waiting.py.
CREATE OR REPLACE TEMP TABLE "kanon#bare" AS
SELECT key, own, wholly, size
FROM (
    SELECT *, system.main.bool_and(bare) OVER (PARTITION BY row_type) AS wholly,
           ${size} OVER (PARTITION BY row_type) AS size
    FROM (
        SELECT "kanon#b"."kanon#key" AS key, ${bare} AS bare, ${own} AS own, ${person} AS person,
               system.main.create_sort_key(system.main.row(${row_type}), 'ASC NULLS LAST') AS row_type
        FROM temp.main."kanon#batch" AS "kanon#b"
        JOIN temp.main."kanon#released" AS "kanon#r" ON "kanon#r"."kanon#key" = "kanon#b"."kanon#key"
    )
)
WHERE bare
