"kanon#rows" AS MATERIALIZED (
    -- every column is a quasi-identifier or sensitive: a row is what its piece shows, as often as the piece has rows
    SELECT "kanon#p".class AS "kanon#class"${kept}, upto - after AS "kanon#n"
    FROM "kanon#pieces" AS "kanon#p" JOIN "kanon#values" AS "kanon#v" ON "kanon#v"."kanon#piece" = "kanon#p".piece
)
