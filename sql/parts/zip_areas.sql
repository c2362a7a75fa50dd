-- zip_areas(): the areas that a zip code, or a label of several, shows by three digits; 000 is none.

system.main.list_filter(system.main.regexp_extract_all(
    @zip_digits()
    , ''[0-9]+''), lambda area: system.main.len(area) = 3 AND area <> ''000'')
