-- agree_on_all(pairs; questions; met): whether pairs of rows that met agree on all columns of the questions, and on those with personal names, as 1 or 0;
-- every tells them apart. A missing value agrees with nothing.

SELECT place, every, one, two, system.main.min(coalesce(agrees, 0)) AS agrees
FROM (
    @compared(<pairs>; <questions>; <met>)
) AS pairs
JOIN (SELECT named, other AS trait, personal FROM questions) AS traits ON named = place AND trait = other
JOIN (VALUES (true), (false)) AS scopes(every) ON every OR personal
GROUP BY place, every, one, two
