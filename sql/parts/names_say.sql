-- names_say(look): whether the name of a column looks so.

system.main.regexp_full_match(
    @called(system.main.alias(COLUMNS(*)))
    , ''<look>'')
