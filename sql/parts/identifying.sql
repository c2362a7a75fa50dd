-- identifying(sensitive; chosen; roles): the refusal of columns of "kanon#recognized" that look like identifiers of people: sensitive ones, chosen
-- quasi-identifiers, and those without a role; NULL if there are none. The arguments are lists of names in small letters.

SELECT system.main.concat(''kanon: '', CASE role
           WHEN 1 THEN ''the sensitive column looks like an identifier''
           WHEN 2 THEN CASE WHEN many > 1 THEN ''quasi-identifiers look like identifiers'' ELSE ''a quasi-identifier looks like an identifier'' END
           ELSE CASE WHEN many > 1 THEN ''columns have no role and look like identifiers'' ELSE ''a column has no role and looks like an identifier'' END
       END, '' of people: '', words, ''; nothing was released; hint: drop := ['', names, CASE role
           WHEN 1 THEN ''], and name another column in sa''
           WHEN 2 THEN ''] (and not in qi)''
           ELSE CASE WHEN many > 1 THEN ''], or name them in keep to release them on purpose'' ELSE ''], or name it in keep to release it on purpose'' END
       END) AS identifying
FROM (
    SELECT role, system.main.count(*) AS many, system.main.string_agg(words, ''; '' ORDER BY place ASC NULLS LAST) AS words,
           system.main.string_agg(literal, '', '' ORDER BY place ASC NULLS LAST) AS names
    FROM (
        SELECT place, words, literal, CASE
                   WHEN system.main.list_contains(<sensitive>, called) THEN 1
                   WHEN system.main.list_contains(<chosen>, called) THEN 2
                   WHEN NOT system.main.list_contains(<roles>, called) THEN 3
               END AS role
        FROM (
            SELECT place, system.main.concat(@spelled_column(name), '' ('', reason, '')'') AS words,
                   @text_literal(name) AS literal,
                   system.main.translate(name, ''ABCDEFGHIJKLMNOPQRSTUVWXYZ'', ''abcdefghijklmnopqrstuvwxyz'') AS called
            FROM "kanon#recognized"
            WHERE role = ''identifier''
        ) AS recognized
    ) AS recognized
    WHERE role IS NOT NULL
    GROUP BY role
) AS recognized
ORDER BY role ASC NULLS LAST
LIMIT 1
