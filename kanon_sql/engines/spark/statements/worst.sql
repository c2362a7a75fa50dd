-- What is known of the class, or of the value in a class, that is farthest from meeting a requirement.
WITH ${tally}
SELECT max(struct(badness, ${worst})) AS worst
FROM (
${question}
)
