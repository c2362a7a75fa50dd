-- tree_cells(): the cells of a table of a hierarchy, each with its place.

SELECT system.main.struct_pack(
    step := CASE
        WHEN system.main.lower(system.main.alias(COLUMNS(*))) = ''value'' THEN 0
        WHEN system.main.lower(system.main.alias(COLUMNS(*))) = ''parent'' THEN 1
        WHEN system.main.starts_with(system.main.lower(system.main.alias(COLUMNS(*))), ''level'')
        THEN TRY_CAST(system.main.substr(system.main.alias(COLUMNS(*)), 6) AS BIGINT)
    END,
    form := system.main.lower(system.main.alias(COLUMNS(*)))[:5],
    label := system.main.encode(COLUMNS(*)::VARCHAR))
