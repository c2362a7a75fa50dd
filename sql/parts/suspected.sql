-- suspected(): what rows with a value of a column agree on, and what people are born with; of columns with which rows agree on something.

SELECT place, first, second, other, grows FROM "kanon#shares" WHERE told
QUALIFY share >= least OR inborn AND system.main.bool_or(share >= least) OVER (PARTITION BY place)
