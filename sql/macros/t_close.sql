-- t_close(tbl, sa, t, metric := 'equal', qi := NULL, k := 2, masks := NULL, keep := NULL, unlisted_limit := 0.2, per_row := false, drop := NULL): a t-close release.
--
-- It is k_anonymize(tbl, k, qi, masks, keep, unlisted_limit, per_row, drop) where every class is also t-close to the table in the column sa, which is
-- released unchanged. All that is said there holds here, of levels and columns without a role too. It needs greedy_release.sql.
--
-- A class is t-close if the earth mover's distance between its shares of the values of sa and those of the table is at most t. With the metric
--   'equal'     all values are at distance 1: half the sum of the differences of the shares,
--   'ordered'   the values in their order, NULL last, are at equal distances, the first and the last at distance 1.
-- NULL is one more value. Values are one where the column calls them equal. Other metrics need the Python package.
--
-- A class takes its rows only if it is t-close. A row type that is left over takes the cheapest class with which it is. Those that find
-- none become one class that shows nothing, together with as many other classes as it needs, the largest first.
--
-- Arguments:
--   tbl, qi, k, masks, keep, unlisted_limit, per_row, drop   as for k_anonymize; qi takes every column but sa, and sa has no other role
--   sa       VARCHAR   the sensitive column
--   t        a number from 0 to 1, exact up to 18 decimals
--   metric   VARCHAR   'equal' or 'ordered'
--
-- Result columns:
--   those of tbl, as of k_anonymize
--
-- Source: Li, Li, Venkatasubramanian: t-closeness, ICDE 2007.
-- Cost: that of k_anonymize, and for each mask a GROUP BY of the pairs of row type and value that are left. With 'ordered', each class that
-- is looked at takes the number of its values times that of the table.
CREATE OR REPLACE MACRO t_close(tbl, sa, t, metric := 'equal', qi := NULL, k := 2, masks := NULL, keep := NULL, unlisted_limit := 0.2, per_row := false, drop := NULL) AS TABLE
@greedy(system.main.list_concat(system.main.list_concat(keep::VARCHAR[], drop::VARCHAR[]), system.main.list_value(sa::VARCHAR)); @sensitive_name())
    system.main.concat('''', system.main.replace(CASE
        WHEN NOT coalesce(TRY_CAST(t::VARCHAR AS DECIMAL(38, 18)) BETWEEN 0 AND 1, false)
            THEN system.main.error('kanon: t is not a number from 0 to 1 (write 0.3)')
        WHEN metric = 'equal' THEN system.main.format(
            'system.main.multiply(system.main.add(
                     system.main.list_aggregate(system.main.list_transform(counts, lambda n, place: system.main.abs(system.main.subtract(
                         system.main.multiply(n::HUGEINT, "rows"),
                         system.main.multiply(system.main.list_extract(held, place)::HUGEINT, size::HUGEINT)))), ''sum''),
                     system.main.multiply(size::HUGEINT, system.main.subtract("rows", system.main.list_aggregate(held, ''sum'')::HUGEINT))),
                 1000000000000000000::HUGEINT)
                 <= system.main.multiply(system.main.multiply(system.main.multiply(2::HUGEINT, size::HUGEINT), "rows"), {})',
            @exact(t))
        WHEN metric = 'ordered' THEN system.main.format(
            'system.main.multiply(coalesce(system.main.list_aggregate(system.main.list_transform(
                     system.main.range(1, different), lambda number: system.main.abs(system.main.subtract(
                         system.main.multiply(coalesce(system.main.list_aggregate(system.main.list_filter(counts, lambda n, place:
                             system.main.list_extract(places, place) <= number), ''sum''), 0)::HUGEINT, "rows"),
                         system.main.multiply(system.main.list_extract(below, number), size::HUGEINT)))), ''sum''), 0)::HUGEINT,
                 1000000000000000000::HUGEINT)
                 <= system.main.multiply(system.main.multiply(system.main.multiply(
                     system.main.subtract(different, 1)::HUGEINT, size::HUGEINT), "rows"), {})',
            @exact(t))
        ELSE system.main.error('kanon: without Python, metric is equal or ordered (release with the Python package kanon-sql)')
    END, '''', ''''''), '''')
));
