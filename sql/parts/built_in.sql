-- built_in(): an error where a macro of the database takes the place of a function that has a syntax of its own.

-- Not used in the text: an error where a macro of the database takes the place of a function behind its syntax.
system.main.list_transform(
    system.main.list_filter(
        system.main.list_value(
            '%', '*', '+', '-', '/', '//', '<<', '||', 'list_filter', 'list_value', 'map', 'struct_pack', 'unpivot_list'),
        lambda name: system.main.contains(
            system.main.json_serialize_plan(system.main.format('SELECT "{}"(DISTINCT 1)', name))::VARCHAR,
            'is a Scalar Function') IS NOT TRUE),
    lambda name: system.main.error(
        system.main.format('kanon: the macro {} takes the place of a built-in function (drop or rename it)', name)))::VARCHAR
