-- The base cells that each row of a published table adds up. Slots: see published_rows.py.
SELECT c.id, b.base
FROM (FROM "kanon#cells" WHERE ${pattern}) AS c JOIN "kanon#base" AS b ON ${same}
