-- of_columns(text; between): a text for each quasi-identifier, one after the other: {0} is its name in quotes, {1} its place from 0.

coalesce(system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[], lambda name, number:
    system.main.format('<text>',
        @quoted(name)
        , system.main.subtract(number, 1))), 'string_agg', '<between>'), '')
