-- The combinations of keys that may have people, if only some are possible. Slots: see published_rows.py.
CREATE OR REPLACE TEMP TABLE "kanon#base" AS
SELECT CAST(system.main.row_number() OVER () AS BIGINT) - 1 AS base, b.* EXCLUDE (base)
FROM "kanon#base" AS b
WHERE EXISTS (FROM possible AS p WHERE ${same})
