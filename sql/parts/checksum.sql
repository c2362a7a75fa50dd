-- checksum(weights; end; crossed; modulus): a branch of a CASE for a number with a wrong checksum.

WHEN system.main.list_sum(system.main.list_transform(system.main.range(1, <end>), lambda place:
        system.main.list_extract([<weights>], place) * TRY_CAST(system.main.substr(system.main.regexp_replace(look, ''[^0-9]'', '''', ''g''), place, 1) AS INTEGER) // <crossed>
        + system.main.list_extract([<weights>], place) * TRY_CAST(system.main.substr(system.main.regexp_replace(look, ''[^0-9]'', '''', ''g''), place, 1) AS INTEGER) % <crossed>
    )) % <modulus> <> 0 THEN 0
