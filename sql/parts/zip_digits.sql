-- zip_digits(): a zip code as text; a number gets back the zeros in front.

CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''INT'')
    THEN system.main.lpad(CAST(COLUMNS(*) AS VARCHAR), CASE WHEN system.main.length(CAST(COLUMNS(*) AS VARCHAR)) > 3 THEN 5 ELSE 3 END, ''0'')
    ELSE CAST(COLUMNS(*) AS VARCHAR) END
