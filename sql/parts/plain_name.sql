-- plain_name(name): a name of a column in small letters without accents, its words joined by underscores.

system.main.regexp_replace(system.main.replace(system.main.replace(system.main.strip_accents(system.main.lower(
    system.main.regexp_replace(<name>, ''([a-z])([A-Z])'', ''\1_\2'', ''g''))), ''ß'', ''ss''), ''ł'', ''l''), ''[^a-z0-9]+'', ''_'', ''g'')
