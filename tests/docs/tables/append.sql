-- The table that grows: what its page calls stays.
CREATE TABLE stays AS SELECT i AS stay, 98101 + i % 4 AS zip, 20 + 10 * (i % 3) AS age FROM range(60) AS t(i);
