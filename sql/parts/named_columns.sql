-- named_columns(table; verb): the columns of qi as SQL; without qi those of a table, as the plan of a DESCRIBE lists them.

CASE
    WHEN system.main.len(qi::VARCHAR[]) = 0
        THEN system.main.error('kanon: qi is an empty list (leave it out to <verb> every column)')
    WHEN qi IS NOT NULL
    THEN @list_literal(qi::VARCHAR[]; name)
    ELSE system.main.format(
        'system.main.flatten(system.main.list_transform(system.main.list_value(
             @planned_columns()
             ), lambda names: CASE WHEN system.main.len(names) > 0 THEN names
             ELSE system.main.error(''kanon: qi is missing, and the columns of <table> cannot be listed (name the columns to ''
                 ''<verb>: qi := [''''zip'''', ''''age''''])'') END))',
        system.main.concat('''FROM (DESCRIBE FROM ', system.main.replace(
            @table(<table>)
            , '''', ''''''), ')'''))
END
