-- The tables that the reference pages speak of. Small, generated without a draw, the same everywhere.

CREATE TABLE patients AS
SELECT printf('%05d', 98101 + i * 7 % 12) AS zip,
       ['Seattle', 'Tacoma', 'Everett'][1 + i * 7 % 12 // 4] AS city,
       20 + i * 13 % 40 AS age,
       ['f', 'm'][1 + j * 5 % 7 % 2] AS sex,
       ['nurse', 'surgeon', 'baker', 'welder'][1 + j * 11 % 4] AS job,
       (DATE '2026-01-01' + (j * 37 % 300)::INTEGER) AS admitted,
       ['flu', 'asthma', 'ulcer', 'gout', 'HIV'][1 + j * 5 % 97 % 5] AS disease,
       20000 + j * 17 % 23 * 1000 AS income,
       ['flu', 'asthma', 'ulcer'][1 + j * 19 % 3] AS "Home disease"
FROM (SELECT i, i * i % 89 AS j FROM range(180) AS t(i)); -- some four rows agree in all but zip code, city and age

CREATE TABLE visits AS
SELECT ['Seattle', 'Tacoma', 'Everett'][1 + i * 7 % 12 // 4] AS city, printf('%05d', 98101 + i * 7 % 12) AS zip,
       'ward ' || i * 3 % 8 AS ward, i * 3 % 8 // 3 AS floor, 20 + i * 13 % 40 AS age,
       47.1 + i * 31 % 101 / 100 AS lat, -122.4 + i * 57 % 103 / 100 AS lon
FROM range(400) AS t(i);

CREATE TABLE people AS
SELECT 'name ' || i * i % 37 AS surname, printf('%05d', 98101 + i * 7 % 12) AS zip, 20 + i * 13 % 40 AS age
FROM range(6000) AS t(i);

CREATE TABLE jobs AS
FROM (VALUES ('nurse', 'care', 'any'), ('surgeon', 'care', 'any'), ('baker', 'trade', 'any'), ('welder', 'trade', 'any'))
     AS t(level0, level1, level2);

CREATE TABLE disease_tree AS
FROM (VALUES ('flu', 'lung'), ('asthma', 'lung'), ('ulcer', 'other'), ('gout', 'other'), ('HIV', 'other'),
             ('lung', 'any'), ('other', 'any')) AS t(value, parent);

CREATE TABLE zip_neighbours AS
SELECT printf('%05d', 98101 + i) AS a, printf('%05d', 98102 + i) AS b FROM range(11) AS t(i);
