-- pattern_guided(tbl, masks, k := 2, qi): a k-anonymous release in which each row shows exactly the columns of one mask.
--
-- It is k_anonymize(tbl, k, qi, masks); what is said there, of levels too, holds here. It needs k_anonymize.sql.
--
-- Arguments:
--   tbl     VARCHAR       name of a table, view, CTE or quoted file, optionally qualified
--   masks   VARCHAR[][]   lists of the columns that are shown together, maybe at levels: [['zip IN DIGITS (3)', 'age'], ['age'], []]
--   k       BIGINT        least rows of a class
--   qi      VARCHAR[]     the quasi-identifiers, at most 12, each level counted. Other columns are released as they are.
--
-- Result columns:
--   those of tbl, with their names, order and types; suppressed cells are NULL, columns with levels VARCHAR
--
-- Cost: one scan of tbl, one GROUP BY, and for each mask one GROUP BY of the row types that are left.
CREATE OR REPLACE MACRO pattern_guided(tbl, masks, k := 2, qi := NULL) AS TABLE
FROM k_anonymize(
    tbl, k, qi := qi,
    masks := CASE WHEN masks IS NULL THEN system.main.error('kanon: masks is missing: [[''zip'', ''age''], [''age''], []]') ELSE masks END
);
