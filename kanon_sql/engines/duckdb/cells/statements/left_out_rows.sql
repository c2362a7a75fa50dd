-- Rows that a published table left out, though it has others that show the same keys. Slots: see published_rows.py.
INSERT INTO "kanon#cells"
SELECT (SELECT system.main.count(*) FROM "kanon#cells") + system.main.row_number() OVER () - 1, ${keys}, true, NULL
FROM (SELECT DISTINCT ${names} FROM "kanon#base") AS b
WHERE NOT EXISTS (FROM "kanon#cells" AS c WHERE ${pattern} AND ${same})
