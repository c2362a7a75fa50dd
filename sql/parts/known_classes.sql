-- known_classes(sets; size): a query of the classes by each of some sets of coded columns, in batches of 56 grouping sets: the places of
-- a set as bits, its smallest class, and its rows in classes of fewer than k rows; c0 is the person, if people are counted.

system.main.list_extract(system.main.list_transform(system.main.list_value(<sets>), lambda sets:
    system.main.list_aggregate(system.main.list_transform(
        system.main.range(0, system.main.len(sets), 56),
        lambda first: system.main.format('
             SELECT chosen, <size> AS size, system.main.min(n) AS least, coalesce(system.main.sum(rows) FILTER (n < {}), 0)::BIGINT AS below
             FROM (SELECT {} AS chosen, system.main.count({}) AS n, system.main.count(*) AS rows FROM "kanon#coded" GROUP BY GROUPING SETS ({}))
             GROUP BY chosen',
            k::BIGINT,
            -- the bits of the columns that are grouped by
            system.main.list_aggregate(system.main.list_transform(
                system.main.list_sort(system.main.list_distinct(system.main.flatten(system.main.list_slice(sets, first + 1, first + 56))),
                    'ASC', 'NULLS FIRST'),
                lambda i: system.main.format('(1 - GROUPING(c{})) * {}', i, 1::BIGINT << i)), 'string_agg', ' + '),
            CASE WHEN person IS NULL THEN '*' ELSE 'DISTINCT c0' END,
            system.main.list_aggregate(system.main.list_transform(system.main.list_slice(sets, first + 1, first + 56),
                lambda chosen: system.main.concat('(', system.main.list_aggregate(
                    system.main.list_transform(chosen, lambda i: system.main.concat('c', i)), 'string_agg', ', '), ')')),
                'string_agg', ', '))), 'string_agg', ' UNION ALL ')), 1)
