-- The combinations of keys that may have people. Slots: see published_rows.py.
CREATE OR REPLACE TEMP TABLE "kanon#base" AS
SELECT CAST(system.main.row_number() OVER () AS BIGINT) - 1 AS base, *
FROM (SELECT ${shown} FROM ${joined} LIMIT ${most})
