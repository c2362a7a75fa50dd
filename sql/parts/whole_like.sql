-- whole_like(look): of each column how many texts and whole numbers look so as a whole.

system.main.count(CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''VARCHAR|ENUM|INT'')
        AND system.main.regexp_full_match(CAST(COLUMNS(*) AS VARCHAR), ''<look>'') THEN 1 END),
