-- counts_of_sets(rows; sets): a query of the rows by the codes of each set of columns: the places p1, p2, ..., the codes s1, s2, ... and n.

coalesce(system.main.list_aggregate(system.main.list_transform(<sets>, lambda places: system.main.format(
    'SELECT {0}, {1}, system.main.count(*) AS n FROM "<rows>" GROUP BY {2}',
    system.main.list_aggregate(system.main.list_transform(system.main.range(1, system.main.len(places) + 1),
        lambda i: system.main.format('{} AS p{}', system.main.list_extract(places, i), i)), 'string_agg', ', '),
    system.main.list_aggregate(system.main.list_transform(system.main.range(1, system.main.len(places) + 1),
        lambda i: system.main.format('c{} AS s{}', system.main.list_extract(places, i), i)), 'string_agg', ', '),
    system.main.list_aggregate(system.main.list_transform(places, lambda place: system.main.format('c{}', place)), 'string_agg', ', '))),
    'string_agg', ' UNION ALL '), '')
