-- pattern_guided(tbl, masks, k := 2, qi := NULL, keep := NULL, unlisted_limit := 0.2, per_row := false, drop := NULL): each row of the release shows one mask.
--
-- It is k_anonymize(tbl, k, qi, masks, keep, unlisted_limit, per_row, drop); what is said there, of levels and columns without a role too, holds here. It needs k_anonymize.sql.
--
-- Arguments:
--   tbl     VARCHAR       name of a table, view, CTE or quoted file, optionally qualified
--   masks   VARCHAR[][]   lists of the columns that are shown together, maybe at levels: [['zip IN DIGITS (3)', 'age'], ['age'], []]
--   k       BIGINT        least rows of a class
--   qi      VARCHAR[]     the quasi-identifiers, at most 12, each level counted. Other columns are released unchanged. NULL takes every
--                         column that is not in keep or drop; the columns of a CTE have to be named.
--   keep    VARCHAR[]     the columns that are released unchanged on purpose; then all others have to be in qi or drop
--   unlisted_limit        without keep: share of the rows, 0 to 1, that a column without a role may single out
--   per_row               true if each row is a person, also where a column seems to repeat people
--   drop    VARCHAR[]     the columns that are left out of the release
--
-- Result columns:
--   those of tbl, with their names, order and types; suppressed cells are NULL, columns with levels VARCHAR
--
-- Cost: one scan of tbl, one GROUP BY, and for each mask one GROUP BY of the row types that are left.
CREATE OR REPLACE MACRO pattern_guided(tbl, masks, k := 2, qi := NULL, keep := NULL, unlisted_limit := 0.2, per_row := false, drop := NULL) AS TABLE
FROM k_anonymize(
    tbl, k, qi := qi, keep := keep, unlisted_limit := unlisted_limit, per_row := per_row, drop := drop,
    masks := CASE WHEN masks IS NULL THEN system.main.error('kanon: masks is missing: [[''zip'', ''age''], [''age''], []]') ELSE masks END
);
