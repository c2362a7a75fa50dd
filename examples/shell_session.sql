-- A session for `kanon run examples/shell_session.sql`, or line by line in `kanon shell`. Everything is generated.

-- 1. A table of hospital visits. The disease is what research needs; zip code, age, sex and profession recognize people.
CREATE TABLE visits AS
SELECT i AS visit,
       printf('%05d', 2100 + hash(i) % 7 * (1 + hash(i, 1) % 2)) AS zip,
       (20 + hash(i, 2) % 12 * 5)::INTEGER AS age,
       CASE WHEN hash(i, 3) % 100 < 53 THEN 'f' ELSE 'm' END AS sex,
       ['baker', 'teacher', 'nurse', 'driver', 'judge'][1 + (hash(i, 4) % 40 // 10 + hash(i, 5) % 13 // 12)::BIGINT] AS profession,
       ['flu', 'asthma', 'fracture', 'diabetes'][1 + (hash(i, 6) % 4)::BIGINT] AS disease
FROM range(3000) AS patients(i);

-- 2. How exposed are they? Rows that are alone in their class can be recognized for certain.
SELECT k, classes, uniques FROM k_anonymity('visits', ['zip', 'age', 'sex', 'profession']);

-- 3. The release: at least 5 people look alike, as few cells as possible are suppressed, no visit number leaves the house.
CREATE TABLE released AS
SELECT zip, age, sex, profession, disease
FROM visits
ANONYMIZE BY zip, age, sex, profession
GUARANTEE k >= 5;

SELECT k, classes, uniques FROM k_anonymity('released', ['zip', 'age', 'sex', 'profession']);
SELECT suppressed_cells, round(suppressed_share, 3) AS share
FROM utility('released', 'visits', ['zip', 'age', 'sex', 'profession']);

-- 4. Only some combinations may be shown: the profession with the age, or the zip code with the sex, or nothing.
CREATE TABLE two_views AS
SELECT zip, age, sex, profession, disease
FROM visits
ANONYMIZE BY GROUPING SETS ((age, profession), (zip, sex), ())
GUARANTEE k >= 10;

-- 5. The age matters most to research: suppressing it costs three times as much as any other cell.
CREATE TABLE ages_kept AS
SELECT zip, age, sex, profession, disease
FROM visits
ANONYMIZE BY zip, age WEIGHT 3, sex, profession
GUARANTEE k >= 5;

SELECT (SELECT count(age) FROM released) AS ages_released, (SELECT count(age) FROM ages_kept) AS ages_kept;

-- 6. A release is a query like any other: aggregate it, join it, copy it to a file.
SELECT age, disease, count(*) AS patients
FROM (SELECT age, sex, disease FROM visits ANONYMIZE BY age, sex GUARANTEE k >= 120)
GROUP BY ALL
ORDER BY age NULLS LAST, disease
LIMIT 4;

-- 7. What was guaranteed, and what it cost at least.
SELECT number, requirements, status, cost, lower_bound, smallest_class FROM kanon_releases() ORDER BY number;
