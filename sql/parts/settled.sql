-- settled(): the CTEs of whom a row describes and of what the columns say: an error if a column repeats people or identifies them.

system.main.format(
    '@recognized("kanon source" AS source),
     {0},
     "kanon settled" AS MATERIALIZED (
         SELECT CASE WHEN refused IS NULL THEN true ELSE system.main.error(refused) END AS settled
         FROM (
             SELECT coalesce(repeating, (
                 @identifying({1}; {2}; {3})
             )) AS refused
             FROM "kanon#repeating"
         ) AS refused
     ),
     ',
    CASE
        WHEN TRY_CAST(per_row::VARCHAR AS BOOLEAN) IS NULL
        THEN system.main.error('kanon: per_row is neither true nor false (write true if each row is a person)')
        WHEN TRY_CAST(per_row::VARCHAR AS BOOLEAN) OR system.main.struct_extract(given, 'k') = 1
        THEN '"kanon#repeating" AS MATERIALIZED (SELECT NULL::VARCHAR AS repeating)'
        ELSE system.main.format(
            '@people_repeated("kanon source" AS source; {0}),
             "kanon#repeating" AS MATERIALIZED (
                 @repeating({1})
             )',
            @list_literal(qi::VARCHAR[]; @small(name))
            ,
            system.main.struct_extract(given, 'k'))
    END,
    -- {1} the sensitive column, {2} the quasi-identifiers that are not generalized, {3} all columns with another role
    @list_literal(system.main.list_filter(system.main.list_value(sa::VARCHAR), lambda name: name IS NOT NULL); @small(name))
    ,
    @list_literal(system.main.list_filter(qi::VARCHAR[], lambda name, number: NOT system.main.list_contains(system.main.struct_extract(given, 'levelled'), system.main.subtract(number, 1))); @small(name))
    ,
    @list_literal(system.main.list_concat(system.main.list_concat(qi::VARCHAR[], keep::VARCHAR[]), drop::VARCHAR[]); @small(name))
)
