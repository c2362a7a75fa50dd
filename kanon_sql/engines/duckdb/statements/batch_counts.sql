-- What a source and the ledger of its release have to do with each other. Slots: see ledger.py.
SELECT system.main.count(*) FILTER ("kanon#s"."kanon#key" IS NULL) AS unkeyed,
       system.main.count(*) - system.main.count(DISTINCT "kanon#s"."kanon#key")
           - system.main.count(*) FILTER ("kanon#s"."kanon#key" IS NULL) AS repeated,
       system.main.count(*) FILTER ("kanon#l".key IS NULL) AS fresh,
       system.main.count(*) FILTER ("kanon#l"."row" <> "kanon#s"."kanon#row") AS changed,
       (SELECT system.main.count(*) FROM ${ledger} AS "kanon#k"
        ANTI JOIN temp.main."kanon#read" AS "kanon#t" ON "kanon#k".key = "kanon#t"."kanon#key") AS deleted
FROM temp.main."kanon#read" AS "kanon#s" LEFT JOIN ${ledger} AS "kanon#l" ON "kanon#l".key = "kanon#s"."kanon#key"
