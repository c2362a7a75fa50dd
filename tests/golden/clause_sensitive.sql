-- name: people
FROM patients ANONYMIZE BY zip GUARANTEE 2 <= k PER disease
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2_people)
-- name: diversity
SELECT zip, disease FROM patients ANONYMIZE BY zip GUARANTEE k >= 3 AND l(disease) >= 2 ORDER BY zip
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip, disease FROM patients) AS k3_l) ORDER BY zip
-- name: diversity alone
FROM patients ANONYMIZE BY zip GUARANTEE l(disease, 'distinct') >= 5
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k5_l)
-- name: recursive diversity
FROM patients ANONYMIZE BY zip GUARANTEE l(disease, 'recursive', 1/2) >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k4_l)
-- name: closeness
FROM patients ANONYMIZE BY zip, age GUARANTEE t(disease) <= 1.0/3 USING auto (time_limit = 60)
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2_t)
-- name: closeness in a tree and to a table
FROM patients ANONYMIZE BY zip GUARANTEE t(disease, 'hierarchical', 'tree') <= 0.3 AND t(age, 'main.distances') <= 1 LIMIT 1
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2_t_t) LIMIT 1
-- name: a limited value
SELECT zip, disease FROM patients WHERE age > 0 ANONYMIZE BY zip GUARANTEE alpha(disease, 'it''s') <= 1/5;
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip, disease FROM patients WHERE age > 0) AS k2_alpha);
-- name: shares near to those of the table
FROM patients ANONYMIZE BY zip GUARANTEE beta(disease) <= 2 AND 1/2 >= delta(age)
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2_beta_delta)
-- name: sides exchanged, over lines
FROM patients
ANONYMIZE BY zip -- the quasi-identifier
GUARANTEE 2 <= l("disease", 'entropy') -- diverse
    AND .3 >= T(age, 'numeric') AND 4 < k
LIMIT 2
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k5_l_t)
LIMIT 2
-- name: in a common table expression
WITH safe AS (FROM patients ANONYMIZE BY zip GUARANTEE l(disease) >= 2) SELECT count(*) FROM safe
-- becomes:
WITH safe AS (SELECT * FROM (SELECT * FROM (FROM patients) AS k2_l)) SELECT count(*) FROM safe
-- name: rows of the population
FROM patients ANONYMIZE BY zip GUARANTEE k >= 5 IN census AND k >= 2 AND 3 < k IN main."every one" AND k >= 4 IN 'census.parquet'
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2_k_map_k_map_k_map)
-- name: presence in the population
FROM patients ANONYMIZE BY zip GUARANTEE presence(main."every one") <= 0.2 AND 1/3 >= presence('census.parquet')
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k1_presence)
