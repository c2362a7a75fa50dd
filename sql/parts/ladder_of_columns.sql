-- ladder_of_columns(): the CTEs of the ladder, codes and masks without levels: each column is a ladder of one level, and a mask costs a cell for each column that it hides.

system.main.format(
    '"kanon ladder" AS MATERIALIZED (
         SELECT position FROM system.main.range({0}) AS ladder(position)
     ),
     -- The number of each value in its column.
     "kanon codes" AS MATERIALIZED (
         SELECT type, position, system.main.dense_rank() OVER (PARTITION BY position ORDER BY cell ASC NULLS LAST) AS code
         FROM (
             SELECT type, system.main.unnest(cells), system.main.unnest(system.main.range({0})) FROM "kanon types"
         ) AS cells(type, cell, position)
     ),
     "kanon masks" AS MATERIALIZED (
         SELECT system.main.row_number() OVER (ORDER BY system.main.len(shown) DESC NULLS LAST, shown DESC NULLS LAST) AS mask,
                shown, system.main.subtract({0}, system.main.len(shown)) AS hidden
         FROM (SELECT DISTINCT shown FROM ({1}) AS masks(shown)) AS masks
     )',
    coalesce(system.main.len(qi::VARCHAR[]), 0),
    CASE
        WHEN system.main.struct_extract(given, 'masks') IS NULL THEN system.main.format(
            'WITH RECURSIVE masks(place, shown) AS (
                 SELECT 0::BIGINT, system.main.list_value()::BIGINT[]
                 UNION ALL
                 SELECT system.main.add(place, 1),
                        system.main.unnest(system.main.list_value(
                            system.main.list_concat(shown, system.main.list_value(place)), shown))
                 FROM masks WHERE place < {0}
             )
             SELECT shown FROM masks WHERE place = {0}', coalesce(system.main.len(qi::VARCHAR[]), 0))
        ELSE system.main.format('SELECT system.main.unnest(''{}''::BIGINT[][])',
            system.main.list_transform(system.main.struct_extract(given, 'masks'), lambda mask:
                system.main.list_sort(system.main.list_distinct(system.main.list_transform(mask,
                    lambda shown: system.main.struct_extract(shown, 'place'))), 'ASC', 'NULLS LAST'))::VARCHAR)
    END)
