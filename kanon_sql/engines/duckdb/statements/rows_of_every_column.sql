"kanon#rows" AS NOT MATERIALIZED (
    -- every column is a quasi-identifier or sensitive: a row is what its piece shows, as often as the piece has rows
    SELECT class AS "kanon#class"${kept}, upto - after AS "kanon#n" FROM ${pieces}
)
