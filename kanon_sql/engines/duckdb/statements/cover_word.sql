CASE WHEN system.main.regexp_full_match(${word}, '"(?:[^"]|"")*"')
                        THEN system.main.replace(system.main.regexp_extract(${word}, '^"(.*)"$$', 1, 's'), '""', '"')
                        WHEN NOT system.main.starts_with(${word}, '"') AND NOT (pair AND system.main.contains(${word}, ', '))
                        THEN ${word} END