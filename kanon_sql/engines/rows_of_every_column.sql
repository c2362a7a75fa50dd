    -- every column is a quasi-identifier: a row is its piece and nothing else
    SELECT piece AS "kanon#piece" FROM (SELECT piece, unnest(range(upto - after)) FROM "kanon#pieces")
