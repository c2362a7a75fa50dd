-- delta_disclosure(tbl, qi, sa): how far the shares of sensitive values in the classes are from those of the whole table.
--
-- Of a value with the share p of the whole table and the share q of an equivalence class, the disclosure is the absolute value of
-- ln(q / p). A table has delta-disclosure privacy if that of every value of the table is below delta in every class. A class
-- without one of the values discloses that, and no delta bounds it.
-- NULL and equal values count as in l_diversity().
--
-- Arguments:
--   tbl, qi, sa   as for l_diversity()
--
-- Result columns (one row; every figure but a number of rows or classes is NULL for an empty table):
--   delta               DOUBLE    = ln(ratio_numerator / ratio_denominator); infinite if a class is incomplete
--   ratio_numerator     HUGEINT   of the greatest ratio of two shares, q / p or p / q, among the values that classes have
--   ratio_denominator   HUGEINT   see above
--   incomplete          BIGINT    classes without one of the values of the table
--   classes             BIGINT    number of classes
--   rows                BIGINT    number of rows
--
-- Ratios are compared exactly, by 120 binary places: two that differ, with less than 2^30 rows, differ by more.
--
-- Source: Brickell, Shmatikov: The Cost of Privacy: Destruction of Data-Mining Utility in Anonymized Data Publishing, KDD 2008.
-- Cost: one scan, one GROUP BY, and one over the (class, value) pairs.
CREATE OR REPLACE MACRO delta_disclosure(tbl, qi := NULL, sa := NULL) AS TABLE
FROM system.main.query(system.main.format(
    'WITH "kanon#tally" AS MATERIALIZED (
         @tally(n)
     )
     SELECT CASE WHEN system.main.bool_or(different < all_different) THEN ''Infinity''::DOUBLE
                 ELSE system.main.ln(system.main.max(ratio).over / system.main.max(ratio).under::DOUBLE) END AS delta,
            system.main.max(ratio).over AS ratio_numerator,
            system.main.max(ratio).under AS ratio_denominator,
            system.main.count(*) FILTER (different < all_different) AS incomplete,
            system.main.count(*) AS classes,
            coalesce(system.main.max(all_rows), 0)::BIGINT AS "rows"
     FROM (
         SELECT class,
                system.main.max(all_rows) AS all_rows,
                system.main.count(*) AS different,
                system.main.max(all_different) AS all_different,
                system.main.max(system.main.struct_pack(
                    whole := over // under,
                    places := (over % under) * (1::HUGEINT << 60) // under,
                    further := (over % under) * (1::HUGEINT << 60) % under * (1::HUGEINT << 60) // under,
                    over := over,
                    under := under)) AS ratio
         FROM (
             SELECT *,
                    (SELECT system.main.count(*) FROM (SELECT DISTINCT value FROM "kanon#tally") AS "values") AS all_different,
                    system.main.greatest(here, whole) AS over,
                    system.main.least(here, whole) AS under
             FROM (
                 @guarantee(shares; tally = "kanon#tally"; all_rows = system.main.sum(n) OVER ())
             ) AS shares
         ) AS pairs
         GROUP BY class
     ) AS classes',
    @other_quasi_identifiers(),
    @table(tbl),
    @sensitive_column(),
    @built_in()
));
