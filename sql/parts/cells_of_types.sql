-- cells_of_types(): a cell of each quasi-identifier as SQL: its bytes and its text; of one with levels its text.

CASE
    WHEN qi IS NULL THEN system.main.error('kanon: qi is missing (name the quasi-identifiers: qi := [''zip'', ''age''])')
    WHEN system.main.len(qi::VARCHAR[]) = 0 THEN system.main.error('kanon: qi is an empty list')
    WHEN system.main.len(qi::VARCHAR[]) > 12
        THEN system.main.error(system.main.format('kanon: {} quasi-identifiers, but without Python at most 12 are possible '
            '(release with the Python package kanon-sql, or name fewer)', system.main.len(qi::VARCHAR[])))
    WHEN system.main.list_aggregate(qi::VARCHAR[], 'count') < system.main.len(qi::VARCHAR[])
        THEN system.main.error('kanon: qi holds NULL instead of a column name')
    WHEN system.main.list_unique(system.main.list_transform(qi::VARCHAR[],
        lambda name: @small(name))) < system.main.len(qi::VARCHAR[])
    THEN system.main.error('kanon: qi names a column twice')
    ELSE system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[], lambda name, number: system.main.format(
        CASE WHEN system.main.list_contains(system.main.struct_extract(given, 'levelled'), system.main.subtract(number, 1))
            THEN 'CASE WHEN source.{0} IS NULL THEN ''''::BLOB '
                 'ELSE system.main.encode(system.main.concat(''='', source.{0}::VARCHAR)) END'
            ELSE 'system.main.create_sort_key(system.main.row(source.{0}, source.{0}::VARCHAR), ''ASC NULLS FIRST'')'
        END,
        @quoted(name)
        )), 'string_agg', ', ')
END
