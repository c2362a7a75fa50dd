-- group_loss(released, original, qi, by, hierarchies := NULL, suppress := '*'): the loss of each group of rows: who loses most.
--
-- The loss of a cell is that of utility(): 0 for a value, 1 if it is suppressed, and for a label (values that it covers - 1) / (values of the
-- column - 1). Rows belong to the group of the value that they show in by. If that cell is a label, a row belongs in equal shares to
-- the groups of the values that the label covers. If it is suppressed, a row belongs to all groups, by the rows that the source has of
-- each and the release does not show. Weighted by their rows, the losses of the groups average to the ncp of utility(), up to what
-- the shares leave open.
--
-- Arguments:
--   released, original, hierarchies, suppress   as for joint_tables()
--   qi   VARCHAR[]   the quasi-identifiers, by their names in both tables
--   by   VARCHAR     the column whose values are the groups; it may be a quasi-identifier
--
-- Result columns (one row per value of the column in the source; no order is promised):
--   value              VARCHAR   the value
--   rows               BIGINT    rows of the source
--   shown_rows         DOUBLE    rows of the release that show the value, or their shares of a label that covers it
--   suppressed_share   DOUBLE    share of the quasi-identifier cells of the rows of the group that are suppressed; NULL if
--                                no row of the release can belong to it
--   loss               DOUBLE    mean loss of these cells
--
-- Errors: the tables differ in the number of rows, or one lacks a column.
--
-- Cost: each table is read once, with a join for each column.
CREATE OR REPLACE MACRO group_loss(released, original, qi, by, hierarchies := NULL, suppress := '*') AS TABLE
FROM system.main.query(system.main.format(
    'WITH RECURSIVE @label_shares()
     ,
     @coded_rows()
     ,
     -- The loss of each cell of the release, and whether it is suppressed: a NULL for the share that is not a NULL of the source.
     "kanon#losses" AS MATERIALIZED (
         SELECT codes.position AS position, code,
                CASE WHEN code > 0 OR domain = 1 THEN 0 WHEN codes.symbol IS NULL THEN suppressed
                    WHEN covered IS NULL THEN 1 ELSE (covered - 1)::DOUBLE / (domain - 1) END AS loss,
                CASE WHEN codes.symbol IS NULL THEN suppressed ELSE 0 END AS suppressed
         FROM (
             SELECT *,
                    (released_rows - system.main.greatest(0, original_rows - coalesce(system.main.sum(released_rows) FILTER (takes_null) OVER (PARTITION BY position), 0)))
                        / released_rows AS suppressed
             FROM (
                 SELECT codes.*, covered, code < 0 AND codes.symbol IS NOT NULL AND coalesce(nulls, true) AS takes_null
                 FROM "kanon#codes" AS codes
                 LEFT JOIN (
                     SELECT position, symbol, system.main.count(*) AS covered, system.main.bool_or("value" IS NULL) AS nulls
                     FROM "kanon#covered"
                     GROUP BY position, symbol
                 ) AS covers ON covers.position = codes.position AND covers.symbol = codes.symbol
             ) AS codes
             WHERE released_rows > 0
         ) AS codes
         JOIN (SELECT position, system.main.count(*) AS domain FROM "kanon#codes" WHERE original_rows > 0 GROUP BY position) AS domains
             ON domains.position = codes.position
     ),
     "kanon#losses by code" AS MATERIALIZED (
         SELECT c{11} AS code, system.main.count(*) AS n, system.main.sum({12}) / {13} AS loss, system.main.sum({14}) / {13} AS suppressed
         FROM "kanon#released codes" AS rows_of {15}
         GROUP BY c{11}
     ),
     "kanon#groups" AS MATERIALIZED (
         SELECT symbols.symbol AS symbol, symbols.bin AS bin, symbols.original_rows AS n, coalesce(shown, 0) AS shown,
                system.main.greatest(symbols.original_rows - coalesce(shown, 0), 0) AS hidden
         FROM "kanon#bins" AS symbols
         LEFT JOIN (
             SELECT bin, system.main.sum(released_rows * share) AS shown FROM "kanon#read" WHERE position = {11} GROUP BY bin
         ) AS shown ON shown.bin = symbols.bin
         WHERE symbols.position = {11} AND symbols.original_rows > 0
     )
     SELECT system.main.decode(symbol) AS "value", groups.n::BIGINT AS "rows",
            (shown + CASE WHEN symbol IS NULL THEN coalesce((SELECT share * released_rows FROM "kanon#nulls" AS nulls
                JOIN "kanon#codes" AS codes USING (position, code) WHERE position = {11}), 0) ELSE 0 END)::DOUBLE AS shown_rows,
            system.main.sum(by_code.suppressed * share) / system.main.sum(by_code.n * share) AS suppressed_share,
            system.main.sum(by_code.loss * share) / system.main.sum(by_code.n * share) AS loss
     FROM "kanon#groups" AS groups
     LEFT JOIN (
         SELECT code, bin, share FROM "kanon#read" WHERE position = {11}
         UNION ALL
         SELECT code, bin, share
         FROM (SELECT code FROM "kanon#codes" WHERE position = {11} AND code < 0 AND code NOT IN (SELECT code FROM "kanon#read")) AS hidden
         CROSS JOIN (
             SELECT bin, CASE WHEN system.main.sum(hidden) OVER () > 0 THEN hidden::DOUBLE / system.main.sum(hidden) OVER ()
                 ELSE n::DOUBLE / system.main.sum(n) OVER () END AS share
             FROM "kanon#groups"
         ) AS left_over
     ) AS members ON members.bin = groups.bin AND share > 0
     LEFT JOIN "kanon#losses by code" AS by_code ON by_code.code = members.code
     CROSS JOIN "kanon#size"
     GROUP BY symbol, groups.n, shown',
    CASE
        WHEN qi IS NULL THEN system.main.error('kanon: qi is missing (name the quasi-identifiers: [''zip'', ''age''])')
    @checked_columns(name the quasi-identifiers)
        WHEN coalesce("by"::VARCHAR, '') = '' THEN system.main.error('kanon: by is missing (name the column whose values are the groups)')
        ELSE ''
    END || @label_share_texts(system.main.list_concat(qi::VARCHAR[], system.main.list_value("by"::VARCHAR)); 9000000000)
    ,
    @coded_row_texts(system.main.list_concat(qi::VARCHAR[], system.main.list_value("by"::VARCHAR)))
    ,
    coalesce(system.main.len(qi::VARCHAR[]), 0) + 1,
    @numbered_columns(losses{0}.loss; + ; qi::VARCHAR[])
    ,
    coalesce(system.main.len(qi::VARCHAR[]), 0),
    @numbered_columns(losses{0}.suppressed; + ; qi::VARCHAR[])
    ,
    @numbered_columns(JOIN (SELECT code, loss, suppressed FROM "kanon#losses" WHERE position = {0}) AS losses{0} ON losses{0}.code = rows_of.c{0};  ; qi::VARCHAR[])
    ,
    @built_in()
));
