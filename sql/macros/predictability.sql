-- predictability(released, original, target, features, hierarchies := NULL, suppress := '*', bins := 32): how well a classifier that learns from a release predicts.
--
-- A naive Bayes classifier learns the target from the features, once from the source and once from the release. Both then predict the target
-- of every row of the source. A probability of a value of a feature among the rows of a class is (rows with both + 1) / (rows of the
-- class + values of the feature). Of equally probable classes, to nine decimal places of their logarithms, the first is predicted.
-- joint_tables() says how labels and suppressed cells are spread, and how columns with many values are cut: the target, too.
--
-- Arguments:
--   released, original, hierarchies, suppress, bins   as for joint_tables()
--   target     VARCHAR     the column to predict
--   features   VARCHAR[]   the columns to predict it from
--
-- Result columns (one row; shares are NULL for an empty table):
--   rows                BIGINT   rows of either table
--   classes             BIGINT   values or bins of the target, NULL being one
--   baseline            DOUBLE   share of the rows in the largest class: right if that one is always predicted
--   original_accuracy   DOUBLE   share of the rows that are predicted right after learning from the source
--   released_accuracy   DOUBLE   the same after learning from the release
--
-- Errors: the tables differ in the number of rows, or one lacks a column; target is one of the features.
--
-- Cost: each table is read once; for each feature a GROUP BY of all rows, and a join of the distinct rows of the source.
CREATE OR REPLACE MACRO predictability(released, original, target, features, hierarchies := NULL, suppress := '*', bins := 32) AS TABLE
FROM system.main.query(system.main.format(
    'WITH RECURSIVE @label_shares()
     ,
     @coded_rows()
     ,
     @joint_counts()
     ,
     "kanon#classes" AS MATERIALIZED (
         SELECT cell[2] AS class, system.main.row_number() OVER (ORDER BY cell[2] ASC NULLS LAST) AS place,
                system.main.sum(original) AS original, system.main.sum(released) AS released
         FROM "kanon#together"
         WHERE places[1] = 1
         GROUP BY cell[2]
     ),
     -- The logarithms of the probabilities of each value of a feature, one for each class.
     "kanon#logarithms" AS MATERIALIZED (
         SELECT position, bin,
                system.main.list(system.main.ln((coalesce(together.original, 0) + 1)::DOUBLE / (classes.original + many)) ORDER BY place ASC NULLS LAST) AS original,
                system.main.list(system.main.ln((coalesce(together.released, 0) + 1)::DOUBLE / (classes.released + many)) ORDER BY place ASC NULLS LAST) AS released
         FROM (
             SELECT position, bin, system.main.count(*) OVER (PARTITION BY position) AS many
             FROM (SELECT DISTINCT position, bin FROM "kanon#bins" WHERE position < {18} AND original_rows > 0) AS bins
         ) AS bins
         CROSS JOIN "kanon#classes" AS classes
         LEFT JOIN "kanon#together" AS together ON together.places[1] = position AND together.cell = system.main.list_value(bin, class)
         GROUP BY position, bin
     ),
     "kanon#priors" AS MATERIALIZED (
         SELECT system.main.list(system.main.ln(original::DOUBLE / (SELECT n FROM "kanon#size")) ORDER BY place ASC NULLS LAST) AS original,
                system.main.list(CASE WHEN released > 0 THEN system.main.ln(released::DOUBLE / (SELECT n FROM "kanon#size")) ELSE ''-inf''::DOUBLE END
                                 ORDER BY place ASC NULLS LAST) AS released,
                system.main.max(original) AS largest, system.main.count(*) AS classes
         FROM "kanon#classes"
     ),
     "kanon#guesses" AS (
         SELECT n, classes.place AS place,
                system.main.list_transform(system.main.range(1, priors.classes + 1), lambda i: system.main.round({15}, 9)) AS by_original,
                system.main.list_transform(system.main.range(1, priors.classes + 1), lambda i: system.main.round({16}, 9)) AS by_released
         FROM (SELECT *, system.main.count(*) AS n FROM "kanon#original codes" GROUP BY ALL) AS rows_of
         CROSS JOIN "kanon#priors" AS priors
         JOIN "kanon#classes" AS classes ON classes.class = rows_of.c{18}
         {17}
     )
     SELECT system.main.any_value(size.n)::BIGINT AS "rows", system.main.any_value(priors.classes)::BIGINT AS classes,
            system.main.any_value(largest) / system.main.any_value(size.n)::DOUBLE AS baseline,
            system.main.sum(guesses.n) FILTER (system.main.list_position(by_original, system.main.list_aggregate(by_original, ''max'')) = place)
                / system.main.any_value(size.n)::DOUBLE AS original_accuracy,
            system.main.sum(guesses.n) FILTER (system.main.list_position(by_released, system.main.list_aggregate(by_released, ''max'')) = place)
                / system.main.any_value(size.n)::DOUBLE AS released_accuracy
     FROM "kanon#size" AS size CROSS JOIN "kanon#priors" AS priors LEFT JOIN "kanon#guesses" AS guesses ON true',
    CASE
        WHEN coalesce(target::VARCHAR, '') = '' THEN system.main.error('kanon: target is missing (name the column to predict)')
        WHEN coalesce(system.main.len(features::VARCHAR[]), 0) = 0
            THEN system.main.error('kanon: features is missing (name the columns to predict from: [''age'', ''sex''])')
        WHEN system.main.list_aggregate(features::VARCHAR[], 'count') < system.main.len(features::VARCHAR[])
            THEN system.main.error('kanon: features holds NULL instead of a column name')
        WHEN system.main.list_unique(system.main.list_transform(system.main.list_concat(features::VARCHAR[], system.main.list_value(target::VARCHAR)),
            lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))) <= system.main.len(features::VARCHAR[])
        THEN system.main.error('kanon: a column is named twice in target and features')
        ELSE ''
    END || @label_share_texts(system.main.list_concat(features::VARCHAR[], system.main.list_value(target::VARCHAR)); bins)
    ,
    @coded_row_texts(system.main.list_concat(features::VARCHAR[], system.main.list_value(target::VARCHAR)))
    ,
    @joint_count_texts(system.main.list_transform(system.main.range(1, system.main.len(features::VARCHAR[]) + 1), lambda i: system.main.list_value(i, system.main.len(features::VARCHAR[]) + 1)); 2)
    ,
    system.main.concat('priors.original[i]',
        @numbered_columns( + f{0}.original[i]; ; features::VARCHAR[])
        ),
    system.main.concat('priors.released[i]',
        @numbered_columns( + f{0}.released[i]; ; features::VARCHAR[])
        ),
    @numbered_columns(JOIN (SELECT * FROM "kanon#logarithms" WHERE position = {0}) AS f{0} ON f{0}.bin = rows_of.c{0};  ; features::VARCHAR[])
    ,
    coalesce(system.main.len(features::VARCHAR[]), 0) + 1,
    @built_in()
));
