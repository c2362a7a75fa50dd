    -- every column is a quasi-identifier: a row is its piece and nothing else
    SELECT piece AS "kanon#piece" FROM (SELECT piece, system.main.unnest(system.main.range(upto - after)) FROM "kanon#pieces")
