-- disclosed_cells(tbl, measure, k, dimensions): the suppressed cells of a table of counts or sums that follow from its totals.
--
-- A cell is a row of the table. A NULL in a dimension means all of its values; a NULL in the measure means suppressed. Each total
-- and the cells that add up to it are a line. A line with one suppressed cell gives it back, which may leave another line with
-- one: this is repeated until nothing more follows. Tables of any tool with all their cells can be checked, CUBE, ROLLUP and
-- GROUPING SETS. In a table that leaves suppressed cells out, lines are incomplete, and the result means nothing.
--
-- Arguments:
--   tbl          VARCHAR     name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                            'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   measure      VARCHAR     the column of the counts or sums, with at most 6 decimal places
--   k            BIGINT      values of 1 to k - 1 are counted as small
--   dimensions   VARCHAR[]   the keys of the table. Case does not matter, as everywhere in SQL.
--
-- Result columns (one row per cell that follows; no order is promised):
--   cell    VARCHAR[]        the keys, in the order of dimensions; NULL for a total
--   value   DECIMAL(38, 6)   what the cell has
--   small   BOOLEAN          whether the value is above 0 and below k
--   step    BIGINT           the round in which it follows; 1 means from one line alone
--
-- Cost: a GROUP BY of all lines for each round.
CREATE OR REPLACE MACRO disclosed_cells(tbl, measure, k, dimensions) AS TABLE
FROM system.main.query(system.main.format(
    'WITH RECURSIVE "kanon#cells" AS MATERIALIZED (
         SELECT system.main.row_number() OVER () AS id, keys, v
         FROM (
             SELECT system.main.list_value({0}) AS keys, CAST({2} AS DECIMAL(38, 6)) AS v FROM {1} AS source
         )
     ), "kanon#sets" AS MATERIALIZED (
         SELECT DISTINCT system.main.list_transform(keys, lambda name: name <> '''') AS shown FROM "kanon#cells"
     ), "kanon#parts" AS MATERIALIZED (
         SELECT DISTINCT system.main.list_transform(parts.keys, lambda name: name <> '''') AS refined, totals.id AS total, parts.id AS part
         FROM (
             SELECT id, keys, system.main.list_transform(system.main.range(1, system.main.len(keys) + 1),
                 lambda i: CASE WHEN system.main.list_extract(shown, i) THEN system.main.list_extract(keys, i) ELSE '''' END) AS masked
             FROM "kanon#cells", "kanon#sets"
         ) AS parts JOIN "kanon#cells" AS totals ON totals.keys = parts.masked
         WHERE parts.keys <> parts.masked
     ), "kanon#lines" AS MATERIALIZED (
         SELECT total, refined, part AS id, 1 AS sign FROM "kanon#parts"
         UNION ALL SELECT DISTINCT total, refined, total, -1 FROM "kanon#parts"
     ), "kanon#state" AS (
         SELECT id, v, 0::BIGINT AS step FROM "kanon#cells"
         UNION ALL
         SELECT id, coalesce(known.v, gained.v), step + 1
         FROM "kanon#state" AS known LEFT JOIN (
             SELECT id AS gained_id, system.main.min(v) AS v, system.main.count(*) OVER () AS gains
             FROM (
                 SELECT system.main.min(CASE WHEN v IS NULL THEN id END) AS id,
                        -- what is missing has to make the sum of all parts the total
                        system.main.sum(v * sign) * system.main.min(CASE WHEN v IS NULL THEN -sign END) AS v
                 FROM "kanon#lines" JOIN "kanon#state" USING (id)
                 GROUP BY total, refined
                 HAVING system.main.count(*) - system.main.count(v) = 1 AND system.main.count(v) > 0
             )
             GROUP BY id
         ) AS gained ON gained_id = id
         WHERE (
             SELECT system.main.count(*) FROM (
                 SELECT total FROM "kanon#lines" JOIN "kanon#state" USING (id)
                 GROUP BY total, refined
                 HAVING system.main.count(*) - system.main.count(v) = 1 AND system.main.count(v) > 0
             )
         ) > 0
     )
     SELECT system.main.list_transform(keys, lambda name: CASE WHEN name <> '''' THEN system.main.substr(name, 2) END) AS cell,
            found.v::DECIMAL(38, 6) AS "value", found.v > 0 AND found.v < {3} AS small, step
     FROM (
         SELECT id, system.main.min(step) AS step, system.main.any_value(v) AS v
         FROM "kanon#state" WHERE v IS NOT NULL GROUP BY id
     ) AS found JOIN "kanon#cells" AS cells USING (id)
     WHERE cells.v IS NULL',
    CASE
        WHEN coalesce(system.main.len(dimensions::VARCHAR[]), 0) = 0
            THEN system.main.error('kanon: dimensions is missing (name the keys of the table: [''region'', ''sex''])')
        WHEN system.main.list_aggregate(dimensions::VARCHAR[], 'count') < system.main.len(dimensions::VARCHAR[])
            THEN system.main.error('kanon: dimensions holds NULL instead of a column name')
        ELSE system.main.list_aggregate(system.main.list_transform(dimensions::VARCHAR[], lambda name: system.main.format(
            'CASE WHEN source.{0} IS NULL THEN '''' ELSE system.main.concat(''='', source.{0}::VARCHAR) END',
            system.main.concat('"', system.main.replace(name, '"', '""'), '"'))), 'string_agg', ', ')
    END,
    @table(tbl)
    ,
    CASE
        WHEN coalesce(measure::VARCHAR, '') = '' THEN system.main.error('kanon: measure is missing (name the column of the counts)')
        ELSE system.main.concat('source."', system.main.replace(measure::VARCHAR, '"', '""'), '"')
    END,
    CASE WHEN k >= 1 THEN k::BIGINT::VARCHAR ELSE system.main.error('kanon: k is a count, at least 1') END,
    @built_in()
));
