-- matching_people(): how many rows of the population match the texts that classes show, for each set of columns that some class hides.

SELECT hidden, key, system.main.sum(many) AS many
FROM (
    SELECT hidden, many, system.main.create_sort_key(system.main.row(
        system.main.list_transform(system.main.range(1, system.main.len(person) + 1),
                                   lambda place: CASE WHEN NOT hidden[place] THEN person[place] END)), ''ASC NULLS FIRST'') AS key
    FROM "kanon#population",
         (SELECT DISTINCT system.main.list_transform(shown, lambda cell: cell IS NULL) AS hidden FROM "kanon#shown") AS masks
) AS seen
GROUP BY 1, 2
