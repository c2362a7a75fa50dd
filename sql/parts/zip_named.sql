-- zip_named(): whether a column is called so that it holds zip codes.

system.main.regexp_full_match(@called(system.main.alias(COLUMNS(*))), ''(.*_)?(zip|zip_?code|zip_?[35]|zcta|post_?code|postal(_?code)?|plz)(_.*)?'')
