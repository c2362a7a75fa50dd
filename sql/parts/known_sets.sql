-- known_sets(size): each set of so many quasi-identifiers, as the list of their places from 1; wrong ones if they are more than 5,000.

system.main.list_reduce(
    system.main.list_transform(system.main.range(0, <size> + 1), lambda i: system.main.list_value(system.main.list_value()::BIGINT[])),
    -- only beginnings of a whole set: so there are never more of them than sets
    lambda shorter, one: CASE WHEN system.main.len(shorter) > 5000 THEN shorter ELSE system.main.flatten(
        system.main.list_transform(shorter, lambda chosen: system.main.list_transform(
            system.main.range(coalesce(system.main.list_extract(chosen, -1), 0) + 1,
                              system.main.len(qi::VARCHAR[]) + system.main.len(chosen) + 2 - (<size>)),
            lambda i: system.main.list_concat(chosen, system.main.list_value(i))))) END)
