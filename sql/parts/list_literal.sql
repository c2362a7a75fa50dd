-- list_literal(names; name): a list of texts as SQL; name is what stands in it for each name.

system.main.format('system.main.list_value({})::VARCHAR[]', coalesce(system.main.list_aggregate(
    system.main.list_transform(<names>, lambda name: coalesce(@literal(<name>), 'NULL')), 'string_agg', ', '), ''))
