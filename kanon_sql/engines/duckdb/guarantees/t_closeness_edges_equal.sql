            SELECT DISTINCT value, value AS edge, 1::HUGEINT AS length, 2 AS scale FROM ${tally}
