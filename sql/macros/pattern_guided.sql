-- pattern_guided(tbl, masks, k := 2, qi := NULL, keep := NULL, unlisted_limit := 0.2, per_row := false, drop := NULL): each row of the release shows one mask.
--
-- It is k_anonymize(tbl, k, qi, masks, keep, unlisted_limit, per_row, drop); what is said there, of levels and columns without a role too, holds here. It needs k_anonymize.sql.
--
-- Arguments:
--   tbl, masks, qi, keep, unlisted_limit, per_row, drop   as for k_anonymize; masks are needed
--   k   BIGINT   least rows of a class, 2 by default
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
