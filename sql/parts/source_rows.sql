-- source_rows(): the CTE of the rows of the table, in which equal values of a quasi-identifier look the same.

system.main.format(
    '"kanon source" AS MATERIALIZED (
         -- equal values of a quasi-identifier that look different (0.0 and -0.0, a month and 30 days) take one look; for other types,
         -- the last part is empty when it is planned
         SELECT * FROM {0} AS source WHERE false  -- names as in the table
         UNION ALL
         SELECT * REPLACE ({2}) FROM {0} AS source
         WHERE NOT system.main.regexp_matches(system.main.typeof(system.main.row({1})), ''INTERVAL|VARIANT'')
         UNION ALL
         SELECT * REPLACE ({3}) FROM (SELECT * REPLACE ({2}) FROM {0} AS source) AS source
         WHERE system.main.regexp_matches(system.main.typeof(system.main.row({1})), ''INTERVAL|VARIANT'')
     ),',
    -- {0} the table, {1} the quasi-identifiers, {2} each with 0.0 for -0.0, which a maximum has, wherever it is inside, {3} with one look for
    -- equal intervals
    @table(tbl)
    ,
    @of_columns(source.{0}; , )
    ,
    @of_columns(@without_minus_zero({0}) AS {0}; , )
    ,
    @of_columns(@one_look({0}) AS {0}; , )
)
