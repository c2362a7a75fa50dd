-- The table of docs/reference/policies.md: every column has a role.

CREATE TABLE patients AS
SELECT 'patient ' || rowid AS name, 100000 + rowid AS ssn, zip, age, disease, 'note ' || rowid % 9 AS notes FROM fixture.patients;

COPY (SELECT * FROM (VALUES ('34', '30-39'), ('51', '50-59'))) TO 'age_levels.csv' (HEADER false);
