-- The rows of a published table: texts of its keys, and its values, NULL where they are suppressed. Slots: see published_rows.py.
CREATE OR REPLACE TEMP TABLE "kanon#cells" AS
SELECT id, COLUMNS('^kanon#k'), suppressed, CASE WHEN NOT suppressed THEN TRY_CAST(measured AS DECIMAL(38, 6)) END AS v
FROM (
    SELECT CAST(system.main.row_number() OVER () AS BIGINT) - 1 AS id, ${keys}, ${measure} AS measured, ${suppressed} AS suppressed
    FROM source
)
