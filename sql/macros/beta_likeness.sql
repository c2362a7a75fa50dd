-- beta_likeness(tbl, qi, sa): how much more frequent the values of a sensitive attribute are in the classes of a table.
--
-- Of a value with the share p of the whole table and the share q of an equivalence class, the gain is (q - p) / p. A table is
--   basic beta-like      if no gain is above beta,
--   enhanced beta-like   if, besides, no gain is above -ln p: frequent values may not fill a class either.
-- NULL and equal values count as in l_diversity().
--
-- Arguments:
--   tbl, qi, sa   as for l_diversity()
--
-- Result columns (one row; every figure but a number of rows or classes is NULL for an empty table):
--   beta          DOUBLE   the greatest gain: = worst_count * rows / (worst_size * worst_total) - 1
--   worst_count   BIGINT   rows of a value in a class where the gain is greatest
--   worst_size    BIGINT   rows of that class
--   worst_total   BIGINT   rows of that value in the whole table
--   beyond_log    BIGINT   classes in which the gain of some value is above -ln p: with 0 of them the table is enhanced beta-like
--                          for this beta, otherwise for none. A class so near that rounding leaves a doubt counts.
--   classes       BIGINT   number of classes
--   rows          BIGINT   number of rows
--
-- Gains are compared exactly, by 120 binary places: two that differ, with less than 2^30 rows, differ by more.
--
-- Source: Cao, Karras: Publishing Microdata with a Robust Privacy Guarantee, PVLDB 5(11), 2012.
-- Cost: one scan, one GROUP BY, and one over the (class, value) pairs.
CREATE OR REPLACE MACRO beta_likeness(tbl, qi := NULL, sa := NULL) AS TABLE
FROM system.main.query(system.main.format(
    'WITH "kanon#tally" AS MATERIALIZED (
         @tally(n)
     )
     SELECT system.main.max(gain).held * system.main.max(all_rows)
                / (system.main.max(gain).size * system.main.max(gain).total)::DOUBLE - 1 AS beta,
            system.main.max(gain).held AS worst_count,
            system.main.max(gain).size AS worst_size,
            system.main.max(gain).total AS worst_total,
            system.main.count(*) FILTER (beyond) AS beyond_log,
            system.main.count(*) AS classes,
            coalesce(system.main.max(all_rows), 0)::BIGINT AS "rows"
     FROM (
         SELECT class,
                system.main.max(all_rows) AS all_rows,
                system.main.max(system.main.struct_pack(
                    whole := here // whole,
                    places := (here % whole) * (1::HUGEINT << 60) // whole,
                    further := (here % whole) * (1::HUGEINT << 60) % whole * (1::HUGEINT << 60) // whole,
                    held := n,
                    size := size::BIGINT,
                    total := total::BIGINT)) AS gain,
                system.main.bool_or(
                    here > whole AND (here - whole) / whole::DOUBLE
                                     >= system.main.ln(all_rows / total::DOUBLE) * (1 - 1e-14) - 1e-14) AS beyond
         FROM (
             @guarantee(shares; tally = "kanon#tally"; all_rows = system.main.sum(n) OVER ())
         ) AS shares
         GROUP BY class
     ) AS classes',
    @other_quasi_identifiers(),
    @table(tbl),
    @sensitive_column(),
    @built_in()
));
