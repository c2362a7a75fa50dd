-- name: groups
SELECT zip, count(*) AS n FROM (SELECT zip, age FROM patients GROUP BY ALL) GROUP BY zip PROTECT n >= 5
-- error: GROUP BY can merge several people into one row, so the guarantee would count rows, not people; hint: group once, in the protected query; or, if each row of this query counts as one person, write n >= 5 PER ROW (line 1, column 63, at 'GROUP BY')
-- name: distinct rows
WITH p AS (SELECT DISTINCT zip, age FROM patients) SELECT zip, count(*) AS people FROM p GROUP BY zip PROTECT people >= 5
-- error: DISTINCT can merge several people into one row, so the guarantee would count rows, not people; hint: remove DISTINCT; or, if each row of this query counts as one person, write people >= 5 PER ROW (line 1, column 19, at 'DISTINCT')
-- name: a union
SELECT zip, count(*) AS n FROM (SELECT zip FROM patients UNION SELECT zip FROM target) GROUP BY zip PROTECT n >= 5
-- error: UNION can merge several people into one row, so the guarantee would count rows, not people; hint: use UNION ALL, which keeps a row for each person; or, if each row of this query counts as one person, write n >= 5 PER ROW
-- name: groups without their person
SELECT zip, count(*) AS n FROM (SELECT zip, max(disease) AS disease FROM patients GROUP BY zip) GROUP BY zip PROTECT n >= 5 PER disease
-- error: the guarantee would count them as one person; hint: return the column disease itself, so that each row belongs to one person; or, if each row of this query counts as one person, write n >= 5 PER ROW
-- name: other people than those of the count
SELECT zip, count(DISTINCT age) AS n FROM patients GROUP BY zip PROTECT n >= 5 PER disease
-- error: PER disease and count(DISTINCT age) count different people; hint: write PROTECT n >= 5 PER age
-- name: people without a word
SELECT zip, count(DISTINCT age) AS n FROM patients GROUP BY zip PROTECT n >= 5
-- error: count(DISTINCT age) counts people; hint: write PROTECT n >= 5 PER age
-- name: people and rows
SELECT zip, count(DISTINCT age) AS n FROM patients GROUP BY zip PROTECT n >= 5 PER ROW
-- error: count(DISTINCT age) counts people; hint: write count(*), or PROTECT n >= 5 PER age
-- name: people and rows in two conditions
SELECT zip, count(*) AS n FROM patients GROUP BY zip PROTECT n >= 5 PER age AND n >= 6 PER ROW
-- error: per counts people, but per_row counts rows; hint: set only one of them
-- name: nothing behind per
SELECT zip, count(*) AS n FROM patients GROUP BY zip PROTECT n >= 5 PER
-- error: hint: write PROTECT n >= 5 PER patient
-- name: a cost that is no sum
SELECT zip, count(*) AS n, sum(age) AS total FROM patients GROUP BY zip PROTECT n >= 5 COST totl
-- error: totl is not a sum of this table; hint: did you mean 'total'?
-- name: a coalition of nobody
SELECT zip, count(*) AS n FROM patients GROUP BY zip PROTECT n >= 5 AGAINST CONTRIBUTORS 0
-- error: expected a number of people of at least 1; hint: write AGAINST CONTRIBUTORS 2 (line 1, column 90, at '0')
-- name: a coalition of one and a half
SELECT zip, count(*) AS n FROM patients GROUP BY zip PROTECT n >= 5 AGAINST CONTRIBUTORS 1.5
-- error: expected a number of people of at least 1; hint: write AGAINST CONTRIBUTORS 2
-- name: a coalition of too many
SELECT zip, count(*) AS n FROM patients GROUP BY zip PROTECT n >= 5 AGAINST CONTRIBUTORS 101
-- error: contributors must be true, false or a whole number up to 100; hint: set contributors = 2
