-- greedy(others; sa): the release of greedy_release, up to its last argument, the guarantee as a text of SQL; others are the columns that are
-- no quasi-identifiers without qi, and sa is the sensitive column as a text of SQL.

FROM system.main.query(system.main.format('FROM greedy_release({}, {}, {}, {}, {}, {}, {}, {}, {}, {})',
    coalesce(@literal(tbl::VARCHAR), 'NULL'),
    coalesce(@literal(k::VARCHAR), 'NULL'),
    CASE
        WHEN qi IS NOT NULL
        THEN @list_literal(qi::VARCHAR[]; name)
        -- all others, as the plan of a DESCRIBE lists them; only this text needs the extension json
        ELSE system.main.format(
            'system.main.flatten(system.main.list_transform(
                 system.main.list_value(system.main.list_filter(
                     @planned_columns()
                     ,
                     lambda name: NOT system.main.list_contains({}, system.main.translate(
                         name, ''ABCDEFGHIJKLMNOPQRSTUVWXYZ'', ''abcdefghijklmnopqrstuvwxyz'')))),
                 lambda names: CASE WHEN system.main.len(names) > 0 THEN names
                     ELSE system.main.error(''kanon: qi is missing, and the columns of tbl cannot be listed, or all are in keep ''
                         ''(name the quasi-identifiers: qi := [''''zip'''', ''''age''''])'') END))',
            system.main.concat('''FROM (DESCRIBE FROM ', system.main.replace(
                @table(tbl)
                , '''', ''''''), ')'''),
            @list_literal(<others>; system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')))
    END,
    CASE WHEN masks IS NOT NULL THEN system.main.format('system.main.list_value({})::VARCHAR[][]', coalesce(system.main.list_aggregate(
        system.main.list_transform(masks::VARCHAR[][], lambda mask: CASE WHEN mask IS NULL THEN 'NULL'
            ELSE @list_literal(mask; name) END), 'string_agg', ', '), '')) ELSE 'NULL' END,
    -- without qi, every column needs a role: a CTE may hide the table that was described
    CASE WHEN keep IS NOT NULL OR qi IS NULL THEN @list_literal(keep::VARCHAR[]; name) ELSE 'NULL' END,
    coalesce(@literal(unlisted_limit::VARCHAR), 'NULL'),
    coalesce(@literal(per_row::VARCHAR), 'NULL'),
    CASE WHEN drop IS NOT NULL THEN @list_literal(drop::VARCHAR[]; name) ELSE 'NULL' END,
    <sa>,
