-- weighted_rows(released, original, qi, means := [], hierarchies := NULL, suppress := '*'): a release as weighted rows of values, to ask queries of.
--
-- Each row of the release counts for all rows of values that it may stand for, and their weights add up to 1, as joint_tables() says: a
-- row counts for a condition by the share of its label that fits. Write sum(weight) for count(*), and sum(x * weight) for sum(x).
-- A column that is only summed is better named in means: its cells count with the mean of the values that they may stand for, which gives
-- the same sums with fewer rows.
--
-- Arguments:
--   released, original, hierarchies, suppress   as for joint_tables()
--   qi      VARCHAR[]   columns that are compared, grouped by or computed with
--   means   VARCHAR[]   other columns, of numbers, that are only summed, counted or averaged
--
-- Result columns (one row per combination of values of qi that a row may stand for; no order is promised):
--   the columns of qi, with the types of the source
--   weight               DOUBLE   rows of the release, in shares
--   x_sum, x_count       DOUBLE   for each column x of means the sum of its values, and the rows in which it is not NULL
--
-- Errors: the tables differ in the number of rows, or one lacks a column.
--
-- Cost: each table is read once. The result has at most as many rows as there are combinations of values of qi.
CREATE OR REPLACE MACRO weighted_rows(released, original, qi, means := [], hierarchies := NULL, suppress := '*') AS TABLE
FROM system.main.query(system.main.format(
    'WITH RECURSIVE @label_shares()
     ,
     @coded_rows()
     ,
     "kanon#means" AS MATERIALIZED (
         SELECT shares.position AS position, code, system.main.sum(share * number) AS total, coalesce(system.main.sum(share) FILTER (shares.bin > 0), 0) AS n
         FROM "kanon#shares" AS shares
         JOIN "kanon#bins" AS bins ON bins.position = shares.position AND bins.bin = shares.bin
         WHERE shares.position > {11}
         GROUP BY ALL
     )
     SELECT {12} weight {13}
     FROM ({14}) AS counted {15}
     CROSS JOIN "kanon#size"',
    CASE
        WHEN qi IS NULL THEN system.main.error('kanon: qi is NULL (name the columns of the query, or none: [])')
        WHEN system.main.list_aggregate(qi::VARCHAR[], 'count') < system.main.len(qi::VARCHAR[])
            THEN system.main.error('kanon: qi holds NULL instead of a column name')
        WHEN system.main.list_unique(system.main.list_transform(system.main.list_concat(qi::VARCHAR[], means::VARCHAR[]),
            lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')))
            < system.main.len(system.main.list_concat(qi::VARCHAR[], means::VARCHAR[]))
        THEN system.main.error('kanon: a column is named twice in qi and means')
        WHEN system.main.len(system.main.list_concat(qi::VARCHAR[], means::VARCHAR[])) = 0
            THEN system.main.error('kanon: qi and means are empty lists (name the columns of the query)')
        ELSE ''
    END || @label_share_texts(system.main.list_concat(qi::VARCHAR[], means::VARCHAR[]); 9000000000)
    ,
    @coded_row_texts(system.main.list_concat(qi::VARCHAR[], means::VARCHAR[]))
    ,
    system.main.len(qi::VARCHAR[]),
    @numbered_columns(values{0}.shown AS {1}, ; ; qi::VARCHAR[])
    ,
    system.main.concat(
        @numbered_columns(, total{0} AS {1}; ; system.main.list_transform(means::VARCHAR[], lambda name: system.main.concat(name, '_sum')))
        ,
        @numbered_columns(, n{0} AS {1}; ; system.main.list_transform(means::VARCHAR[], lambda name: system.main.concat(name, '_count')))
        ),
    -- the rows by their codes, spread over the values of one column after the other
    system.main.list_reduce(
        system.main.list_concat(system.main.list_value(system.main.concat(
            'SELECT ',
            @numbered_columns(c{0}, ; ; qi::VARCHAR[])
            , 'system.main.count(*)::DOUBLE AS weight',
            @numbered_columns(, system.main.sum(means{0}.total) AS total{0}, system.main.sum(means{0}.n) AS n{0}; ; means::VARCHAR[])
            , ' FROM "kanon#released codes" AS rows_of',
            system.main.list_aggregate(system.main.list_transform(system.main.range(1, system.main.len(means::VARCHAR[]) + 1), lambda i: system.main.format(
                ' JOIN "kanon#means" AS means{0} ON means{0}.position = {1} AND means{0}.code = rows_of.c{1}', i, i + system.main.len(qi::VARCHAR[]))),
                'string_agg', ''),
            ' GROUP BY ALL')),
            system.main.list_transform(system.main.range(1, system.main.len(qi::VARCHAR[]) + 1), lambda i: i::VARCHAR)),
        lambda before, i: system.main.format(
            'SELECT joined.* EXCLUDE (c{0}, weight{2}), shares.bin AS c{0}, system.main.sum(weight * share) AS weight{3}
             FROM ({1}) AS joined JOIN "kanon#shares" AS shares ON shares.position = {0} AND shares.code = c{0} GROUP BY ALL', i, before,
            @numbered_columns(, total{0}, n{0}; ; means::VARCHAR[])
            ,
            @numbered_columns(, system.main.sum(total{0} * share) AS total{0}, system.main.sum(n{0} * share) AS n{0}; ; means::VARCHAR[])
            )),
    system.main.replace(
        @numbered_columns( LEFT JOIN (SELECT bin, shown FROM "kanon#bins" AS bins JOIN (SELECT system.main.any_value(source.{1}) AS shown, system.main.encode(@text_of(source.{1})) AS symbol FROM :original AS source GROUP BY 2) AS typed USING (symbol) WHERE position = {0}) AS values{0} ON values{0}.bin = counted.c{0};  ; qi::VARCHAR[])
        , ':original',
        @table(original)
        ),
    @built_in()
));
