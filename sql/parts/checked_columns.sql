-- checked_columns(hint): branches of a CASE that refuse lists of columns; the hint says what to do about an empty one.

    WHEN system.main.len(qi::VARCHAR[]) = 0
        THEN system.main.error('kanon: qi is an empty list (<hint>)')
    WHEN system.main.list_aggregate(qi::VARCHAR[], 'count') < system.main.len(qi::VARCHAR[])
        THEN system.main.error('kanon: qi holds NULL instead of a column name')
    WHEN system.main.list_unique(system.main.list_transform(qi::VARCHAR[],
        lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))) < system.main.len(qi::VARCHAR[])
    THEN system.main.error('kanon: qi names a column twice')
