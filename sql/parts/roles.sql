-- roles(): the columns that have a role, as SQL; none has two.

CASE
    WHEN system.main.list_contains(
        system.main.list_transform(system.main.list_concat(system.main.list_concat(qi::VARCHAR[], keep::VARCHAR[]), drop::VARCHAR[]), lambda name: @small(name)),
        @small(sa::VARCHAR)
        )
    THEN system.main.error('kanon: sa is one of the columns of qi, keep or drop (a sensitive column has no other role)')
    WHEN system.main.list_aggregate(keep::VARCHAR[], 'count') < system.main.len(keep::VARCHAR[])
    THEN system.main.error('kanon: keep holds NULL instead of a column name')
    WHEN system.main.list_aggregate(drop::VARCHAR[], 'count') < system.main.len(drop::VARCHAR[])
    THEN system.main.error('kanon: drop holds NULL instead of a column name')
    WHEN system.main.list_unique(system.main.list_transform(system.main.list_concat(qi::VARCHAR[], keep::VARCHAR[]), lambda name: @small(name)))
        < system.main.len(system.main.list_concat(qi::VARCHAR[], keep::VARCHAR[]))
    THEN system.main.error('kanon: keep names a column twice, or one of qi')
    WHEN system.main.list_unique(system.main.list_transform(
            system.main.list_concat(system.main.list_concat(qi::VARCHAR[], keep::VARCHAR[]), drop::VARCHAR[]), lambda name: @small(name)))
        < system.main.len(system.main.list_concat(system.main.list_concat(qi::VARCHAR[], keep::VARCHAR[]), drop::VARCHAR[]))
    THEN system.main.error('kanon: drop names a column twice, or one of qi or keep')
    ELSE coalesce(system.main.list_aggregate(system.main.list_transform(system.main.list_concat(
        system.main.list_concat(system.main.list_concat(qi::VARCHAR[], keep::VARCHAR[]), drop::VARCHAR[]),
        system.main.list_filter(system.main.list_value(sa::VARCHAR), lambda name: name IS NOT NULL)), lambda name: @quoted(name)), 'string_agg', ', '), '')
END
