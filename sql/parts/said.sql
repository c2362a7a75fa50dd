-- said(called): what the first rule about names says of each of some names, which are in the spelling of called(); see `kanon_sql/recognition/names.toml`.

-- a pattern costs more to read than to match: each is read once, for all names as one text of lines
SELECT called, system.main.arg_min(rule, number) AS rule
FROM (
    SELECT number, exceptions, system.main.struct_pack(
               role := role, kind := kind, paragraph := paragraph, textual := textual, "numeric" := "numeric", personal := personal) AS rule,
           system.main.unnest(system.main.regexp_extract_all(names, system.main.concat(''(?m)^('', pattern, '')$''))) AS called
    FROM (SELECT system.main.string_agg(called, system.main.chr(10)) AS names FROM (<called>) AS called) AS names,
         (VALUES
             @name_rules()
         ) AS rules(number, role, kind, paragraph, textual, "numeric", personal, pattern, exceptions)
) AS said
WHERE NOT system.main.regexp_full_match(called, coalesce(exceptions, ''@not_identifying()''))
GROUP BY called
