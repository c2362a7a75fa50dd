-- joint_count_texts(sets; size): what takes the places 11 to 14 in the text of joint_counts, for sets of so many columns.

-- the places of the columns of a set, and its cell
system.main.concat('system.main.list_value(', system.main.list_aggregate(system.main.list_transform(
    system.main.range(1, <size> + 1), lambda i: system.main.concat('p', i)), 'string_agg', ', '), ')'),
system.main.concat('system.main.list_value(', system.main.list_aggregate(system.main.list_transform(
    system.main.range(1, <size> + 1), lambda i: system.main.concat('s', i)), 'string_agg', ', '), ')'),
-- the rows by their codes, spread over the bins of one column after the other
system.main.list_reduce(
    system.main.list_concat(system.main.list_value(
        @counts_of_sets(kanon#released codes; <sets>)
        ),
        system.main.list_transform(system.main.range(1, <size> + 1), lambda i: i::VARCHAR)),
    lambda before, i: system.main.format(
        'SELECT joined.* EXCLUDE (s{0}, n), shares.bin AS s{0}, system.main.sum(n * share) AS n FROM ({1}) AS joined
         JOIN "kanon#shares" AS shares ON shares.position = p{0} AND shares.code = s{0} GROUP BY ALL', i, before)),
@counts_of_sets(kanon#original codes; <sets>)
