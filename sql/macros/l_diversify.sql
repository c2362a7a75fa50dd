-- l_diversify(tbl, sa, l, variant := 'frequency', c := NULL, qi := NULL, k := 2, masks := NULL, keep := NULL, unlisted_limit := 0.2, per_row := false, drop := NULL): an l-diverse release.
--
-- It is k_anonymize(tbl, k, qi, masks, keep, unlisted_limit, per_row, drop) where every class is also l-diverse in the column sa, which is released
-- unchanged. All that is said there holds here, of levels and columns without a role too. It needs greedy_release.sql.
--
-- Let a class of n rows have m different values of sa, r_1 >= r_2 >= ... >= r_m times each. With the variant
--   'frequency'   no value has more than 1 / l of the rows: r_1 * l <= n,
--   'distinct'    m >= l,
--   'entropy'     - sum r_i / n * log (r_i / n) >= log l, which is compared with 12 decimals,
--   'recursive'   r_1 < c * (r_l + ... + r_m), for a whole l.
-- NULL is one more value. Values are one where the column calls them equal.
--
-- A class takes its rows only if it is diverse. A row type that is left over takes the cheapest class with which it is. Those that find
-- none become one class that shows nothing, together with as many other classes as it needs, the largest first. If the whole table is not
-- l-diverse, nothing is released.
--
-- Arguments:
--   tbl, qi, k, masks, keep, unlisted_limit, per_row, drop   as for k_anonymize; qi takes every column but sa, and sa has no other role
--   sa        VARCHAR   the sensitive column
--   l         a number of at least 1, exact up to 18 decimals
--   variant   VARCHAR   'frequency', 'distinct', 'entropy' or 'recursive'
--   c         a number above 0, for 'recursive'
--
-- Result columns:
--   those of tbl, as of k_anonymize
--
-- Source: Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam: l-diversity, TKDD 1(1), 2007.
-- Cost: that of k_anonymize, and for each mask a GROUP BY of the pairs of row type and value that are left.
CREATE OR REPLACE MACRO l_diversify(tbl, sa, l, variant := 'frequency', c := NULL, qi := NULL, k := 2, masks := NULL, keep := NULL, unlisted_limit := 0.2, per_row := false, drop := NULL) AS TABLE
@greedy(system.main.list_concat(system.main.list_concat(keep::VARCHAR[], drop::VARCHAR[]), system.main.list_value(sa::VARCHAR)); @sensitive_name())
    system.main.concat('''', system.main.replace(CASE
        WHEN NOT coalesce(TRY_CAST(l::VARCHAR AS DECIMAL(38, 18)) BETWEEN 1 AND 1000000, false)
            THEN system.main.error('kanon: l is not a number from 1 to 1000000 (l = 2: no value has more than half of a class)')
        WHEN c IS NOT NULL AND variant IS DISTINCT FROM 'recursive'
            THEN system.main.error('kanon: c belongs to the variant recursive (leave c out)')
        WHEN variant = 'frequency' THEN system.main.format(
            'system.main.multiply(system.main.list_aggregate(counts, ''max'')::HUGEINT, {})
                 <= system.main.multiply(size::HUGEINT, 1000000000000000000::HUGEINT)',
            @exact(l))
        WHEN variant = 'distinct' THEN system.main.format(
            'system.main.multiply(system.main.len(counts)::HUGEINT, 1000000000000000000::HUGEINT) >= {}',
            @exact(l))
        WHEN variant = 'entropy' THEN system.main.format(
            'system.main."/"(system.main.subtract(
                     system.main.multiply(size::HUGEINT, system.main.round(system.main.multiply(system.main.ln(size), 1e15))::HUGEINT),
                     system.main.list_aggregate(system.main.list_transform(counts, lambda n: system.main.multiply(
                         n::HUGEINT, system.main.round(system.main.multiply(system.main.ln(n), 1e15))::HUGEINT)), ''sum''))::DOUBLE,
                 system.main.multiply(size::DOUBLE, 1e15))
                 >= system.main.subtract(system.main.ln({}::DOUBLE), 1e-12)',
            TRY_CAST(l::VARCHAR AS DECIMAL(38, 18)))
        WHEN variant IS DISTINCT FROM 'recursive'
            THEN system.main.error('kanon: variant is not one of frequency, distinct, entropy and recursive')
        WHEN TRY_CAST(l::VARCHAR AS DECIMAL(38, 18)) <> system.main.floor(TRY_CAST(l::VARCHAR AS DECIMAL(38, 18)))
            THEN system.main.error('kanon: recursive l-diversity needs a whole l')
        WHEN NOT coalesce(TRY_CAST(c::VARCHAR AS DECIMAL(38, 18)) BETWEEN 0.000000000000000001 AND 1000000, false)
            THEN system.main.error('kanon: recursive l-diversity needs c, a number above 0 (c := 3: a value has less than three times the rows of the rest)')
        ELSE system.main.format(
            'system.main.multiply(system.main.list_aggregate(counts, ''max'')::HUGEINT, 1000000000000000000::HUGEINT)
                 < system.main.multiply(coalesce(system.main.list_aggregate(system.main.list_slice(
                     system.main.list_sort(counts, ''DESC'', ''NULLS LAST''), {0}, system.main.len(counts)), ''sum''), 0)::HUGEINT, {1})',
            TRY_CAST(l::VARCHAR AS DECIMAL(38, 18))::BIGINT,
            @exact(c))
    END, '''', ''''''), '''')
));
