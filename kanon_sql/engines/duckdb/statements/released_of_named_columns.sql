(
SELECT "kanon#r".* EXCLUDE (${dropped}), "kanon#v".* EXCLUDE ("kanon#class")
FROM (
    -- ${why}
    FROM "kanon#rows" AS "kanon#r" ${sorted}
) AS "kanon#r"
-- classes are sorted, because in small tables they may lead the join
JOIN (FROM "kanon#values" ORDER BY "kanon#class" ASC NULLS LAST) AS "kanon#v"
    ON "kanon#r"."kanon#class" = "kanon#v"."kanon#class"
WHERE (SELECT passed FROM ${judged})
${sorted_again})
