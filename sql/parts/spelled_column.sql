-- spelled_column(name): a name of a column as SQL writes it, in double quotes if it needs them.

CASE WHEN system.main.regexp_full_match(<name>, ''[A-Za-z_][A-Za-z0-9_]*'') THEN <name>
    ELSE system.main.concat(''"'', system.main.replace(<name>, ''"'', ''""''), ''"'') END
