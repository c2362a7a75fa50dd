-- called(name): a name of a column in small letters and underscores.

system.main.regexp_replace(system.main.lower(system.main.regexp_replace(<name>, ''([a-z])([A-Z])'', ''\1_\2'', ''g'')), ''[^a-z0-9]+'', ''_'', ''g'')
