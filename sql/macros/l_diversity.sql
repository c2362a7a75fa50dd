-- l_diversity(tbl, qi, sa, l := 2): how diverse a sensitive attribute is in the equivalence classes of a table.
--
-- Let a class of n rows have m different values of the sensitive attribute, r_1 >= r_2 >= ... >= r_m times each. It is
--   distinct l-diverse         if m >= l,
--   frequency l-diverse        if r_1 * l <= n: no value has more than 1 / l of the rows,
--   entropy l-diverse          if its entropy, - sum r_i / n * log (r_i / n), is at least log l,
--   recursive (c, l)-diverse   if r_1 < c * (r_l + ... + r_m),
-- and a table is if every class is. The figures are the largest l, and the bound of c, of which that is true.
-- NULL is a value like any other: rows that are NULL in the same column are alike there, and NULL is one more value of the
-- sensitive attribute. In quasi-identifiers, text is compared byte by byte whatever the collation of the column ('a' and 'A'
-- are two values even under NOCASE), because the reader sees bytes. Values of the sensitive attribute are one where the column
-- calls them equal: 'flu' and 'FLU' under NOCASE, one month and 30 days; one disease spelled two ways is no diversity.
--
-- Arguments:
--   tbl   VARCHAR     name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                     'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   qi    VARCHAR[]   the quasi-identifiers; NULL takes every column but sa. Case does not matter, as everywhere in SQL.
--   sa    VARCHAR     the sensitive attribute, a column that is not in qi
--   l     BIGINT      a whole number from 1 to 1000000: the l of recursive_c and of the classes below
--
-- Result columns (one row; every figure but a number of rows or classes is NULL for an empty table):
--   distinct_l        BIGINT   the fewest different values in a class
--   frequency_l       DOUBLE   = worst_size / worst_count
--   entropy_l         DOUBLE   exp of the least entropy of a class, rounded to 9 decimals: 3 equally frequent values give 3
--   recursive_c       DOUBLE   = recursive_top / recursive_rest: the table is recursive (c, l)-diverse for every c above it;
--                              infinite, with recursive_rest = 0, if a class has fewer than l values
--   highest_share     DOUBLE   the highest share that a value has in its class: worst_count / worst_size
--   worst_size        BIGINT   rows of a class where a value has that share, the largest one
--   worst_count       BIGINT   rows of that value there
--   recursive_top     BIGINT   r_1 of a class where c is highest, the largest one
--   recursive_rest    BIGINT   r_l + ... + r_m there
--   distinct_below    BIGINT   classes that are not distinct l-diverse
--   frequency_below   BIGINT   classes that are not frequency l-diverse
--   entropy_below     BIGINT   classes that are not entropy l-diverse
--   classes           BIGINT   number of classes
--   rows              BIGINT   number of rows
--
-- Fractions are compared exactly, by 84 binary places: two that differ, with less than 2^42 rows a class, differ by more.
--
-- Source: Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam: l-diversity, TKDD 1(1), 2007.
-- Cost: one scan, one GROUP BY, and one over the (class, value) pairs.
CREATE OR REPLACE MACRO l_diversity(tbl, qi := NULL, sa := NULL, l := 2) AS TABLE
FROM system.main.query(system.main.format(
    'SELECT system.main.min(different) AS distinct_l,
            system.main.max(share).size::DOUBLE / system.main.max(share).top AS frequency_l,
            system.main.min(entropy) AS entropy_l,
            CASE system.main.max(ratio).rest
                WHEN 0 THEN ''Infinity''::DOUBLE ELSE system.main.max(ratio).top::DOUBLE / system.main.max(ratio).rest
            END AS recursive_c,
            system.main.max(share).top::DOUBLE / system.main.max(share).size AS highest_share,
            system.main.max(share).size AS worst_size,
            system.main.max(share).top AS worst_count,
            system.main.max(ratio).top AS recursive_top,
            system.main.max(ratio).rest AS recursive_rest,
            system.main.count(*) FILTER (different < {3}) AS distinct_below,
            system.main.count(*) FILTER (size < top::HUGEINT * {3}) AS frequency_below,
            system.main.count(*) FILTER (entropy < {3}) AS entropy_below,
            system.main.count(*) AS classes,
            coalesce(system.main.sum(size), 0)::BIGINT AS "rows"
     FROM (
         SELECT size,
                top,
                different,
                system.main.round(system.main.exp((size * system.main.round(system.main.ln(size) * 1e15)::HUGEINT
                                                   - logs) / size / 1e15), 9) AS entropy,
                system.main.struct_pack(places := top * (1::HUGEINT << 84) // size, size := size, top := top) AS share,
                system.main.struct_pack(
                    unbounded := rest = 0,
                    whole := CASE rest WHEN 0 THEN 0 ELSE top // rest END,
                    places := CASE rest WHEN 0 THEN 0 ELSE (top % rest) * (1::HUGEINT << 84) // rest END,
                    top := top,
                    rest := rest) AS ratio
         FROM (
             SELECT system.main.sum(size)::BIGINT AS size,
                    system.main.max(size) AS top,
                    system.main.count(*) AS different,
                    system.main.sum(size * system.main.round(system.main.ln(size) * 1e15)::HUGEINT) AS logs,
                    (system.main.sum(size) - {4})::BIGINT AS rest
             FROM (
                 @tally(size)
             ) AS pairs
             GROUP BY class
         ) AS counts
     ) AS classes',
    @other_quasi_identifiers(),
    @table(tbl),
    @sensitive_column(),
    CASE
        WHEN TRY_CAST(l AS DOUBLE) BETWEEN 1 AND 1000000 AND TRY_CAST(l AS DOUBLE) = system.main.floor(TRY_CAST(l AS DOUBLE))
        THEN coalesce(TRY_CAST(l AS BIGINT), 0)
        ELSE system.main.error('kanon: l is not a whole number from 1 to 1000000')
    END,
    CASE coalesce(TRY_CAST(l AS BIGINT), 0)
        WHEN 1 THEN '0'
        WHEN 2 THEN 'system.main.max(size)'
        ELSE system.main.format('system.main.list_aggregate(system.main.max(size, {}), ''sum'')',
                                coalesce(TRY_CAST(l AS BIGINT), 0) - 1)
    END,
    @built_in()
));
