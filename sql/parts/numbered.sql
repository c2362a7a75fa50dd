-- numbered(text): a text for each quasi-identifier, with its place from 1 in place of {0}, separated by commas.

coalesce(system.main.list_aggregate(system.main.list_transform(system.main.range(1, system.main.len(qi::VARCHAR[]) + 1),
    lambda i: system.main.format('<text>', i)), 'string_agg', ', '), '')
