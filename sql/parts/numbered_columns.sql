-- numbered_columns(text; between; names): a text for each of some columns, one after the other: {0} is its number, {1} its name in quotes.

coalesce(system.main.list_aggregate(system.main.list_transform(system.main.range(1, system.main.len(<names>) + 1),
    lambda i: system.main.format('<text>', i,
        system.main.concat('"', system.main.replace(system.main.list_extract(<names>, i), '"', '""'), '"'))),
    'string_agg', '<between>'), '')
