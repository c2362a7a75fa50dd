-- A hospital that was drawn at random: 20,000 patients, 100,000 stays, 300,000 prescriptions.

CREATE TEMP MACRO draw(number, what) AS (hash(number, what) % 1000000)::BIGINT;

CREATE TABLE patients AS
SELECT 'P' || (10000000 + i * 97) AS patient, 'Name ' || i AS name,
       (98100 + least(draw(i, 'zip') % 60, draw(i, 'area') % 60))::VARCHAR AS zip,
       (1935 + draw(i, 'born') % 40 + draw(i, 'year') % 40)::INTEGER AS born,
       ['f', 'm'][1 + draw(i, 'sex') % 2] AS sex,
       ['public', 'private'][1 + (draw(i, 'insurance') % 9 = 0)::INTEGER] AS insurance
FROM range(20000) AS t(i);

CREATE TABLE stays AS
SELECT i AS stay, 'P' || (10000000 + draw(i, 'who') % 20000 * 97) AS patient,
       ['surgery', 'heart', 'eyes', 'birth', 'lungs'][1 + least(draw(i, 'ward') % 5, draw(i, 'often') % 5)] AS ward,
       (1 + draw(i, 'quarter') % 4)::INTEGER AS quarter,
       (300 + draw(i, 'cost') % 70 * (draw(i, 'more') % 70))::INTEGER AS cost
FROM range(100000) AS t(i);

CREATE TABLE prescriptions AS
SELECT i AS prescription, 'P' || (10000000 + draw(i, 'whose') % 20000 * 97) AS patient,
       ['A', 'B', 'C', 'D', 'E', 'F'][1 + least(draw(i, 'drug') % 6, draw(i, 'rare') % 6)] AS drug,
       (1 + draw(i, 'packs') % 4)::INTEGER AS packs
FROM range(300000) AS t(i);
