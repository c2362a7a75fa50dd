-- greedy_release(tbl, k, qi, masks, keep, unlisted_limit, per_row, drop, sa, guarantee): what k_anonymize, pattern_guided, l_diversify and t_close release.
--
-- It is not to be called itself. The first arguments are those of k_anonymize, and none has a default.
--   sa          VARCHAR   the sensitive column, or NULL
--   guarantee   VARCHAR   what every class has to keep beside k, as a condition in SQL; NULL without sa. It may ask for, of a class,
--                         size, its rows; counts, how many have each of its values; places, the numbers of these values in their order
--                         in the table; held, the rows of the table with them; and for "rows" and different, the rows and values of the
--                         table, and below, how many rows have a value of at most each number.
--
-- With a guarantee, a class of the greedy takes its rows only if it keeps the guarantee. A row type that is left over takes the cheapest
-- class with which it keeps it. Those that have none become one class that shows nothing, and it takes the largest classes until it
-- keeps the guarantee. Where two classes keep one of these guarantees, both together do.
CREATE OR REPLACE MACRO greedy_release(tbl, k, qi, masks, keep, unlisted_limit, per_row, drop, sa, guarantee) AS TABLE
FROM system.main.query(system.main.list_extract(system.main.list_transform(system.main.list_transform(system.main.list_transform(system.main.list_value(
    @read_masks()
), lambda read: system.main.struct_pack(
    masks := read,
    -- the places of the columns with levels
    levelled := coalesce(system.main.list_sort(system.main.list_distinct(system.main.list_transform(
        system.main.list_filter(system.main.flatten(read), lambda shown: system.main.struct_extract(shown, 'kind') <> ''),
        lambda shown: system.main.struct_extract(shown, 'place'))),
        'ASC', 'NULLS LAST'), system.main.list_value()::BIGINT[]))
), lambda given: system.main.struct_pack(
    masks := system.main.struct_extract(given, 'masks'), levelled := system.main.struct_extract(given, 'levelled'),
    cells := @cells_of_types()
    ,
    roles := @roles()
    ,
    sensitive := CASE WHEN sa IS NULL THEN 'NULL' ELSE system.main.concat('source.', @quoted(sa::VARCHAR)) END,
    k := CASE WHEN TRY_CAST(k AS DOUBLE) = TRY_CAST(k AS BIGINT) AND TRY_CAST(k AS BIGINT) >= 1 THEN TRY_CAST(k AS BIGINT)
        ELSE system.main.error('kanon: k must be a whole number of at least 1') END,
    -- in parts of 10^18
    "limit" := CASE WHEN TRY_CAST(unlisted_limit::VARCHAR AS DECIMAL(38, 18)) BETWEEN 0 AND 1
        THEN system.main.replace(TRY_CAST(unlisted_limit::VARCHAR AS DECIMAL(38, 18))::VARCHAR, '.', '')::BIGINT
        ELSE system.main.error('kanon: unlisted_limit is not a share of the rows from 0 to 1 (write 0.2, the default)') END)
), lambda given: system.main.concat('WITH RECURSIVE ',
    @source_rows()
    ,
    @settled()
    ,
    @unlisted_columns()
    ,
    @row_types()
    ,
    @greedy_search()
    ,
    @shown_types()
    ,
    @given_back()
    ,
    @released_rows()
)), 1));
