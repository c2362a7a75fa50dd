-- called(name): a name of a column in small letters without accents, its words joined by underscores.

system.main.trim(system.main.regexp_replace(system.main.lower(system.main.regexp_replace(system.main.regexp_replace(
    @plain(<name>)
    , ''([a-z0-9])([A-Z])'', ''\1_\2'', ''g''), ''([A-Z])([A-Z][a-z])'', ''\1_\2'', ''g'')), ''[^a-z0-9]+'', ''_'', ''g''), ''_'')
