-- suppression_certificate(released, original, k, qi): the cost of a release by suppression, and a lower bound on the cost of any such release.
--
-- The lower bound looks at each row alone. A row without NULL whose combination fewer than k rows have must lose a cell; if
-- fewer than k rows agree with it in all columns but one, whichever that is, it must lose two. Rows with NULL may look like others
-- for nothing, and count 0. No release in which k rows look alike, by whatever solver, suppresses fewer cells.
--
-- A cell is suppressed if it is NULL or the text '*'. As in utility(), those of the original are not counted, and values are
-- compared as text, byte by byte. The two tables need no row key and no common order. Nothing here tells which row became which:
-- it is the release that kanon-sql or any other tool says it made of this table.
--
-- Arguments:
--   released   VARCHAR     name of the released table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                          'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   original   VARCHAR     the same for the table it was made from
--   k          BIGINT      what the release promises
--   qi         VARCHAR[]   the quasi-identifiers, under the same names in both tables
--
-- Result columns (one row):
--   status             VARCHAR   'OPTIMAL' where suppressed_cells is lower_bound, else 'FEASIBLE'; 'BROKEN' where a class has fewer
--                                than k rows, whatever the cost
--   smallest_class     BIGINT    rows of the smallest class; NULL for an empty table
--   classes            BIGINT    equivalence classes of the release
--   rows               BIGINT    number of rows
--   cells              BIGINT    rows x quasi-identifiers
--   suppressed_cells   BIGINT    see above
--   lower_bound        BIGINT    cells that every release suppresses
--   gap                DOUBLE    (suppressed_cells - lower_bound) / suppressed_cells; 0 where nothing is suppressed
--
-- Errors: the tables differ in the number of rows; a column shows more cells in the release than in the original, or a value
-- that the original does not have there, so that cells are not suppressed alone; fewer than k rows, of which there is no release.
--
-- Cost: each table is read once; a sort of (distinct rows of the original x columns) keys.
CREATE OR REPLACE MACRO suppression_certificate(released, original, k, qi := NULL) AS TABLE
FROM system.main.query(system.main.format(
    'WITH "kanon#classes" AS MATERIALIZED (
         -- different values of a VARIANT or UNION may have one text, and before DuckDB 2 those of an ARRAY
         SELECT system.main.list_transform(cells, lambda cell: CASE WHEN cell.text <> ''*'' THEN cell.text END) AS cells,
                system.main.list_transform(cells, lambda cell: CASE WHEN cell.text <> ''*'' THEN cell.key END) AS keys,
                system.main.count(*) AS size
         FROM (
             SELECT system.main.list_value(*COLUMNS(*)) AS cells
             FROM (
                 SELECT system.main.struct_pack(
                     text := @text_of(COLUMNS(*)) COLLATE "binary",
                     key := CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''VARIANT|UNION\(|\[[0-9]'')
                         THEN system.main.create_sort_key(system.main.row(COLUMNS(*)), ''ASC NULLS LAST'') END)
                 FROM (
                     @spelled(SELECT {0} FROM {1} AS source)
                 ) AS source
             ) AS source
         ) AS rows
         GROUP BY 1, 2
     ), "kanon#types" AS MATERIALIZED (
         SELECT system.main.row_number() OVER () AS type, cells, size
         FROM (
             SELECT system.main.list_transform(cells, lambda cell: CASE WHEN cell <> ''*'' THEN cell END) AS cells,
                    system.main.count(*) AS size
             FROM (SELECT system.main.list_value(*COLUMNS(*)) AS cells
                   FROM (
                       @texts(SELECT {0} FROM {2} AS source)
                   ) AS source) AS rows
             GROUP BY 1
         ) AS types
     ), "kanon#columns" AS MATERIALIZED (
         SELECT place, cell, system.main.sum(after) AS after, system.main.sum(before) AS before
         FROM (
             SELECT system.main.unnest(system.main.range(1, system.main.len(cells) + 1)) AS place, system.main.unnest(cells) AS cell,
                    size AS after, 0 AS before
             FROM "kanon#classes"
             UNION ALL
             SELECT system.main.unnest(system.main.range(1, system.main.len(cells) + 1)), system.main.unnest(cells), 0, size
             FROM "kanon#types"
         ) AS cells
         GROUP BY 1, 2
     ), "kanon#near" AS (
         -- the most rows that agree with a row type in all columns but one
         SELECT type, system.main.max(size) AS size
         FROM (
             SELECT type, system.main.sum(size) OVER (PARTITION BY place, key) AS size
             FROM (
                 SELECT type, size, place, system.main.create_sort_key(system.main.row(system.main.list_transform(
                            system.main.range(1, system.main.len(cells) + 1),
                            lambda here: CASE WHEN here <> place THEN cells[here] END)), ''ASC NULLS FIRST'') AS key
                 FROM (SELECT *, system.main.unnest(system.main.range(1, system.main.len(cells) + 1)) AS place FROM "kanon#types") AS types
             ) AS keys
         ) AS agreeing
         GROUP BY 1
     ), "kanon#figures" AS (
         SELECT (SELECT system.main.min(size) FROM "kanon#classes") AS smallest,
                (SELECT system.main.count(*) FROM "kanon#classes") AS classes,
                (SELECT coalesce(system.main.sum(size), 0)::BIGINT FROM "kanon#classes") AS after,
                (SELECT coalesce(system.main.sum(size), 0)::BIGINT FROM "kanon#types") AS before,
                (SELECT coalesce(system.main.sum(size * system.main.len(cells)), 0)::BIGINT FROM "kanon#types") AS cells,
                (SELECT coalesce(system.main.sum(after - before), 0)::BIGINT FROM "kanon#columns" WHERE cell IS NULL) AS suppressed,
                (SELECT system.main.count(*) FROM "kanon#columns" WHERE cell IS NULL AND after < before) AS reappeared,
                (SELECT system.main.count(*) FROM "kanon#columns" WHERE cell IS NOT NULL AND after > before) AS unknown,
                (SELECT coalesce(system.main.sum(types.size * CASE WHEN near.size >= {3} OR system.main.len(types.cells) = 1 THEN 1 ELSE 2 END), 0)::BIGINT
                 FROM "kanon#types" AS types JOIN "kanon#near" AS near USING (type)
                 WHERE types.size < {3} AND system.main.list_aggregate(types.cells, ''count'') = system.main.len(types.cells)) AS least
     )
     SELECT CASE
                WHEN before > 0 AND before < {3} THEN system.main.error(''kanon: the original has fewer than k rows: it has no release'')
                WHEN after <> before THEN system.main.error(''kanon: the tables differ in their number of rows (certify a release with the table it was made from)'')
                WHEN reappeared > 0 THEN system.main.error(''kanon: a column shows more cells in the release than in the original (is it a release of this table?)'')
                WHEN unknown > 0 THEN system.main.error(''kanon: a column has values more often than the original, or others: not by suppression alone (see utility)'')
                WHEN smallest < {3} THEN ''BROKEN'' WHEN suppressed = least THEN ''OPTIMAL'' ELSE ''FEASIBLE''
            END AS status,
            smallest::BIGINT AS smallest_class, classes, after AS "rows", cells, suppressed AS suppressed_cells, least AS lower_bound,
            CASE WHEN suppressed = 0 THEN 0.0::DOUBLE ELSE (suppressed - least)::DOUBLE / suppressed END AS gap
     FROM "kanon#figures"',
    @quasi_identifiers(system.main.error('kanon: qi is missing (name the quasi-identifiers)'); name the quasi-identifiers),
    @table(released),
    @table(original),
    CASE WHEN k::BIGINT >= 1 THEN k::BIGINT::VARCHAR
        ELSE system.main.error('kanon: k must be a whole number of at least 1 (write suppression_certificate(''released'', ''patients'', 5, ...))')
    END,
    @built_in()
));
