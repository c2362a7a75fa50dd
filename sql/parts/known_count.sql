-- known_count(size): how many sets of so many quasi-identifiers there are; 0 if there are fewer quasi-identifiers.

coalesce(system.main.list_aggregate(system.main.list_transform(system.main.range(1, <size> + 1),
    lambda i: (system.main.len(qi::VARCHAR[]) + 1 - i)::DOUBLE / i), 'product'), 1)
