-- joint_tables(released, original, qi, n := 2, hierarchies := NULL, suppress := '*', bins := 32): how many rows of the source, and of the release, have which values together.
--
-- marginals(), correlations(), propensity() and predictability() measure with these tables. Each set of columns is one table of counts.
-- A cell of the release is spread over the values of the source that it can stand for:
--   a value          counts for itself
--   a label          counts for each value that it covers, by equal shares. Labels are read as utility() reads them: [20, 30), 130**,
--                    {a, b}, 2026-Q4, labels of a hierarchy.
--   a suppressed     counts for the values that the column shows elsewhere, by their shares; or for each value of the source, if the
--   cell             column shows nothing. So does a label that no rule reads.
--   NULL             counts as NULL for as many cells as the source has NULLs, less those that labels take in. The rest are suppressed.
-- The cells of a row are spread independently of each other.
--
-- A column with more than bins values is cut into that many bins: stretches of its sorted values, with about as many rows each. Numbers are
-- sorted as numbers, if all values of the column are numbers, and else as bytes. NULL is bin 0.
--
-- Arguments:
--   released      VARCHAR     name of the released table, view, CTE or quoted file, optionally qualified. It is read as an
--                             identifier, never as SQL.
--   original      VARCHAR     the same for the source
--   qi            VARCHAR[]   the columns to compare, by their names in both tables
--   n             BIGINT      columns of a set
--   hierarchies   MAP         of VARCHAR to VARCHAR: the tables of hierarchies, as for utility()
--   suppress      VARCHAR     the text of suppressed cells besides NULL; NULL: there is none
--   bins          BIGINT      the most values of a column that are counted each on its own
--
-- Result columns (one row per cell of a table in which either has rows):
--   columns   VARCHAR[]   the set
--   cell      BIGINT[]    the bins, in the order of the set
--   original  BIGINT      rows of the source
--   released  DOUBLE      rows of the release, in shares
--   n         BIGINT      rows of either table
--
-- Errors: the tables differ in the number of rows, or one lacks a column.
--
-- Cost: each table is read once; for each set a GROUP BY of all rows.
CREATE OR REPLACE MACRO joint_tables(released, original, qi, n := 2, hierarchies := NULL, suppress := '*', bins := 32) AS TABLE
FROM system.main.query(system.main.format(
    'WITH RECURSIVE @label_shares()
     ,
     @coded_rows()
     ,
     @joint_counts()
     SELECT system.main.list_transform(places, lambda i: system.main.list_extract({0}, i)) AS columns, cell, original, released, n
     FROM "kanon#together", "kanon#size"',
    CASE
        WHEN qi IS NULL THEN system.main.error('kanon: qi is missing (name the columns to compare: [''zip'', ''age''])')
    @checked_columns(name the columns to compare)
        WHEN coalesce(n::BIGINT, 0) NOT BETWEEN 1 AND system.main.len(qi::VARCHAR[])
        THEN system.main.error(system.main.format('kanon: there are no sets of {} of {} columns', coalesce(n::VARCHAR, 'NULL'), system.main.len(qi::VARCHAR[])))
        WHEN @known_count(n::BIGINT)
            > 5000
        THEN system.main.error(system.main.format('kanon: more than 5,000 sets of {} columns (name fewer columns in qi, or a smaller n)', n))
        ELSE ''
    END || @label_share_texts(qi::VARCHAR[]; bins)
    ,
    @coded_row_texts(qi::VARCHAR[])
    ,
    @joint_count_texts(@known_sets(n::BIGINT); n::BIGINT)
    ,
    @built_in()
));
