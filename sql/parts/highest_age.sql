-- highest_age(): the highest number that an age shows, as the text of a label has it.

system.main.list_aggregate(system.main.list_transform(
    system.main.regexp_extract_all(CAST(COLUMNS(*) AS VARCHAR), ''[0-9]+([.][0-9]+)?''), lambda word: TRY_CAST(word AS DOUBLE)), ''max'')
