-- planned_columns(): the names of the columns of a table, from the plan of a DESCRIBE; none if it is a CTE.

system.main.json_extract_string(system.main.json_serialize_plan({}),
    ''$.plans[0].children[0].children[0].collection.values[0][*].value'')
