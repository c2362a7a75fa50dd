-- rows_known(size; name): the sum over all people of the sets of so many of their n rows, called name.

system.main.concat('coalesce(system.main.sum(', system.main.list_aggregate(system.main.list_transform(system.main.range(1, <size> + 1),
    lambda i: system.main.format('system.main.greatest(n + 1 - {0}, 0) / {0}', i)), 'string_agg', ' * '), '), 0) AS <name>')
