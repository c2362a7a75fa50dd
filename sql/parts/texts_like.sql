-- texts_like(sign; look): of each column how many texts hold a sign and look so.

system.main.count(CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''VARCHAR|JSON|ENUM|STRUCT|TUPLE|\[|MAP|UNION|VARIANT'')
        AND system.main.contains(CAST(COLUMNS(*) AS VARCHAR), ''<sign>'')
        AND system.main.regexp_matches(CAST(COLUMNS(*) AS VARCHAR), ''<look>'') THEN 1 END),
