-- name: create
CREATE ANONYMIZATION POLICY research ON patients (IDENTIFIER name; BY zip IN DIGITS, age; GUARANTEE k >= 5)
-- becomes:
SELECT 'create research on patients'
-- name: create over lines, and statements around it
SELECT ';' AS a; -- one
create or replace anonymization policy "re;search" ON main."my ""patients;" (
    IDENTIFIER name, "so;cial";      -- never released; not even here
    BY city, zip IN DIGITS (5, 3) WEIGHT 2, age, town LINKED (city, town);
    KEEP notes;
    GUARANTEE k >= 5 AND l(disease) >= 2;
    USING greedy (seed = 7, suppress = ';');
);
SELECT 2
-- becomes:
SELECT ';' AS a; -- one
SELECT 'replace re;search on main."my ""patients;"';
SELECT 2
-- name: parts in another order
CREATE ANONYMIZATION POLICY research ON patients (USING greedy; GUARANTEE k >= 5; BY ROLLUP (zip, age))
-- becomes:
SELECT 'create research on patients'
-- name: names that are words of the statement
CREATE ANONYMIZATION POLICY policy ON anonymize (IDENTIFIER identifier; BY anonymize, "BY", guarantee_; KEEP keep; GUARANTEE k >= 5)
-- becomes:
SELECT 'create policy on anonymize'
-- name: drop
DROP ANONYMIZATION POLICY research; DROP /* the */ ANONYMIZATION POLICY IF EXISTS "a policy"
-- becomes:
SELECT 'drop research'; SELECT 'drop a policy if it exists'
-- name: show
SHOW ANONYMIZATION POLICIES;
-- becomes:
SELECT 'show';
-- name: a policy in the place of the promise
SELECT zip, age FROM patients WHERE age > 0 ANONYMIZE WITH POLICY research ORDER BY zip LIMIT 2;
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip, age FROM patients WHERE age > 0) AS policy_research) ORDER BY zip LIMIT 2;
-- name: a policy wherever a query stands
CREATE VIEW released AS WITH p AS (FROM patients ANONYMIZE WITH POLICY "Inner") SELECT zip FROM p ANONYMIZE WITH POLICY research
-- becomes:
CREATE VIEW released AS WITH p AS (SELECT * FROM (SELECT * FROM (FROM patients) AS policy_Inner)) SELECT * FROM (SELECT * FROM (SELECT zip FROM p) AS policy_research)
-- name: a policy and a promise
SELECT * FROM (FROM patients ANONYMIZE WITH POLICY research) a, (FROM patients ANONYMIZE BY zip GUARANTEE k >= 2) b
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT * FROM (FROM patients) AS policy_research)) a, (SELECT * FROM (SELECT * FROM (FROM patients) AS k2)) b
-- name: create, use and forget
CREATE ANONYMIZATION POLICY research ON patients (BY zip, age, disease; GUARANTEE k >= 5); FROM patients ANONYMIZE WITH POLICY research; DROP ANONYMIZATION POLICY research
-- becomes:
SELECT 'create research on patients'; SELECT * FROM (SELECT * FROM (FROM patients) AS policy_research); SELECT 'drop research'
-- name: explain anonymize
EXPLAIN ANONYMIZE SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 ORDER BY zip LIMIT 3; SELECT 1
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip FROM patients) AS explain_k2); SELECT 1
-- name: explain anonymize with a policy
explain anonymize FROM patients ANONYMIZE WITH POLICY research
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS explain_research)
-- name: explain anonymize behind a with
EXPLAIN ANONYMIZE WITH policy AS (FROM patients ANONYMIZE BY zip GUARANTEE k >= 3) SELECT zip FROM policy ANONYMIZE BY zip GUARANTEE k >= 2
-- becomes:
WITH policy AS (SELECT * FROM (SELECT * FROM (FROM patients) AS k3)) SELECT * FROM (SELECT * FROM (SELECT zip FROM policy) AS explain_k2)
-- name: explain anonymize with a clause behind
EXPLAIN ANONYMIZE FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 ORDER BY (SELECT 1 FROM patients ANONYMIZE WITH POLICY research LIMIT 1)
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS explain_k2)
-- name: groups of rows under a policy that counts rows
SELECT zip, count(*) AS n FROM patients GROUP BY zip ANONYMIZE WITH POLICY regions
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip, count(*) AS n FROM patients GROUP BY zip) AS policy_regions)
-- name: groups of rows explained under a policy that counts rows
EXPLAIN ANONYMIZE SELECT DISTINCT zip FROM patients ANONYMIZE WITH POLICY regions
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT DISTINCT zip FROM patients) AS explain_regions)
