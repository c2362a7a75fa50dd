-- listed_columns(): the last branch of a CASE: the quasi-identifiers as columns of source.

    ELSE system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[],
        lambda name: 'source."' || system.main.replace(name, '"', '""') || '"'),
                                    'string_agg', ', ')
END
