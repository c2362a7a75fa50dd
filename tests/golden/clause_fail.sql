-- name: an alias with columns
SELECT * FROM patients ANONYMIZE (zip, age)
-- error: ANONYMIZE without BY would be read as an alias and release raw rows
-- name: an alias in front of order by
FROM patients ANONYMIZE ORDER BY zip
-- error: ANONYMIZE without BY would be read as an alias
-- name: an alias at the end
SELECT zip FROM patients anonymize;
-- error: ANONYMIZE without BY would be read as an alias
-- name: an alias of a column
SELECT zip Anonymize, age FROM patients
-- error: ANONYMIZE without BY would be read as an alias
-- name: an alias behind an unreserved word
FROM type ANONYMIZE (zip)
-- error: ANONYMIZE without BY would be read as an alias
-- name: no guarantee
SELECT zip FROM patients ANONYMIZE BY zip
-- error: GUARANTEE is missing; hint: write ANONYMIZE BY zip, age GUARANTEE k >= 5 (line 1, column 39, at 'zip')
-- name: no guarantee in front of an order
SELECT zip FROM patients ANONYMIZE BY zip ORDER BY zip
-- error: GUARANTEE is missing before ORDER; hint: write ANONYMIZE BY zip, age GUARANTEE k >= 5 (line 1, column 43, at 'ORDER')
-- name: no guarantee in front of a condition
SELECT zip FROM patients ANONYMIZE BY zip k >= 5
-- error: GUARANTEE is missing before k; hint: write ANONYMIZE BY zip GUARANTEE k >= 5 (line 1, column 43, at 'k')
-- name: a misspelled guarantee
SELECT zip FROM patients ANONYMIZE BY zip GUARANTEES k >= 5
-- error: unknown word GUARANTEES; hint: write ANONYMIZE BY zip GUARANTEE k >= 5 (line 1, column 43, at 'GUARANTEES')
-- name: columns without a comma
SELECT zip FROM patients ANONYMIZE BY zip age GUARANTEE k >= 5
-- error: expected a comma before the next column, or GUARANTEE
-- name: a recoding without IN
SELECT zip FROM patients ANONYMIZE BY zip DIGITS GUARANTEE k >= 5
-- error: IN is missing before DIGITS
-- name: a file without its kind
SELECT zip FROM patients ANONYMIZE BY zip IN 'zip.csv' GUARANTEE k >= 5
-- error: expected a recoding after IN; hint: write ANONYMIZE BY zip IN HIERARCHY 'zip.csv' GUARANTEE k >= 5
-- name: a name behind a file
SELECT zip FROM patients ANONYMIZE BY zip IN HIERARCHY 'zip.csv'.other GUARANTEE k >= 5
-- error: expected a table, or a file in single quotes; hint: write job IN HIERARCHY jobs
-- name: kept behind linked
SELECT zip FROM patients ANONYMIZE BY zip, age LINKED (zip, age) KEEP disease GUARANTEE k >= 5
-- error: KEEP must come before LINKED
-- name: kept behind the guarantee
SELECT zip FROM patients ANONYMIZE BY zip, age GUARANTEE k >= 5 KEEP disease
-- error: unexpected KEEP after the ANONYMIZE clause; hint: write ANONYMIZE BY zip, age KEEP disease GUARANTEE k >= 5
-- name: conditions joined by or
SELECT zip FROM patients ANONYMIZE BY zip, age GUARANTEE k >= 5 OR l(disease) >= 2
-- error: unexpected OR after the ANONYMIZE clause; hint: write ANONYMIZE BY zip, age GUARANTEE k >= 5 AND l(disease) >= 2
-- name: an arrow for a comparison
SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE k => 5
-- error: expected >= after k; hint: write ANONYMIZE BY zip GUARANTEE k >= 5 (line 1, column 55, at '=>')
-- name: an arrow the other way
SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE t(disease) =< 0.2
-- error: expected <= after t; hint: write ANONYMIZE BY zip GUARANTEE t(disease) <= 0.2
-- name: a sign of mathematics
SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE k ≥ 5
-- error: expected >= after k; hint: write ANONYMIZE BY zip GUARANTEE k >= 5
-- name: a blank within a comparison
SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE k > = 5
-- error: expected >= after k; hint: write ANONYMIZE BY zip GUARANTEE k >= 5 (line 1, column 55, at '> =')
-- name: two equals signs
SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE k == 5
-- error: expected >= after k; hint: write ANONYMIZE BY zip GUARANTEE k >= 5
-- name: an arrow behind the number
SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE 5 =< k
-- error: expected a comparison after the number; hint: write ANONYMIZE BY zip GUARANTEE 5 <= k
-- name: no guarantee in a subquery
SELECT * FROM (SELECT zip FROM patients ANONYMIZE BY zip) LIMIT 1
-- error: GUARANTEE is missing; hint
-- name: no columns
FROM patients ANONYMIZE BY GUARANTEE k >= 2
-- error: expected a column
-- name: a comma too many
FROM patients ANONYMIZE BY zip, GUARANTEE k >= 2
-- error: expected a column
-- name: no condition
FROM patients ANONYMIZE BY zip GUARANTEE
-- error: expected a condition
-- name: no k
FROM patients ANONYMIZE BY zip GUARANTEE >= 5
-- error: expected a condition
-- name: an unknown promise
FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 AND m(disease, 'x') >= 2
-- error: m(disease, 'x') is not supported; hint: use k, l(...), t(...), alpha(...), beta(...), delta(...) or presence(...), as in GUARANTEE k >= 5 (line 1, column 53, at "m(disease, 'x')")
-- name: no beta
FROM patients ANONYMIZE BY zip GUARANTEE beta(disease) <= 0
-- error: beta must be above 0, got 0; hint: write beta(disease) <= 2, so that shares at most triple
-- name: beta from below
FROM patients ANONYMIZE BY zip GUARANTEE beta(disease) >= 1
-- error: beta supports only <=; hint: write ANONYMIZE BY zip GUARANTEE beta(disease) <= 1
-- name: delta of two columns
FROM patients ANONYMIZE BY zip GUARANTEE delta(disease, 'age') <= 1
-- error: expected ) to close delta(...); hint: write GUARANTEE delta(disease) <= 1
-- name: diversity of nothing
FROM patients ANONYMIZE BY zip GUARANTEE l >= 2
-- error: expected ( after l; hint: write GUARANTEE l(disease) >= 2 (line 1, column 44, at '>=')
-- name: diversity of no column
FROM patients ANONYMIZE BY zip GUARANTEE l() >= 2
-- error: expected a column; hint: write GUARANTEE l(disease) >= 2 (line 1, column 44, at ')')
-- name: diversity of two columns
FROM patients ANONYMIZE BY zip GUARANTEE l(disease, age) >= 2
-- error: expected a variant in single quotes; hint: use one of 'frequency', 'distinct', 'entropy', 'recursive' (line 1, column 53, at 'age')
-- name: an unknown variant
FROM patients ANONYMIZE BY zip
GUARANTEE k >= 2 AND l(disease, 'recursiv', 3) >= 2
-- error: the variant of l-diversity cannot be 'recursiv'; hint: did you mean 'recursive'? (line 2, column 22, at "l(disease, 'recursiv', 3) >= 2")
-- name: recursive without its c
FROM patients ANONYMIZE BY zip GUARANTEE l(disease, 'recursive') >= 2
-- error: recursive l-diversity needs c; hint: write l(disease, 'recursive', 3) >= 2
-- name: a c for another variant
FROM patients ANONYMIZE BY zip GUARANTEE l(disease, 'entropy', 3) >= 2
-- error: c applies to the variant 'recursive', not to 'entropy'
-- name: a c that is no number
FROM patients ANONYMIZE BY zip GUARANTEE l(disease, 'recursive', '3') >= 2
-- error: expected a number; hint: write ANONYMIZE BY zip GUARANTEE l(disease, 'recursive', 3) >= 2
-- name: more than diversity takes
FROM patients ANONYMIZE BY zip GUARANTEE l(disease, 'recursive', 3, 4) >= 2
-- error: expected ) to close l(...); hint: write GUARANTEE l(disease) >= 2
-- name: less than nothing
FROM patients ANONYMIZE BY zip GUARANTEE l(disease) >= 1/2
-- error: l must be at least 1, got 1/2
-- name: diversity from above
FROM patients ANONYMIZE BY zip GUARANTEE l(disease) <= 2
-- error: l supports only >=; hint: write ANONYMIZE BY zip GUARANTEE l(disease) >= 2 (line 1, column 53, at '<=')
-- name: strict diversity
FROM patients ANONYMIZE BY zip GUARANTEE l(disease) > 2
-- error: l supports only >=; hint: write ANONYMIZE BY zip GUARANTEE l(disease) >= 2
-- name: diversity that ends early
FROM patients ANONYMIZE BY zip GUARANTEE l(disease)
-- error: expected >= after l; hint: write GUARANTEE l(disease) >= 2
-- name: closeness from below
FROM patients ANONYMIZE BY zip GUARANTEE t(disease, 'ordered') >= .3
-- error: t supports only <=; hint: write ANONYMIZE BY zip GUARANTEE t(disease, 'ordered') <= .3
-- name: closeness from below with its sides exchanged
FROM patients ANONYMIZE BY zip GUARANTEE .3 <= t(disease, 'ordered')
-- error: t supports only <=; hint: write GUARANTEE t(disease, 'ordered') <= 0.3 (line 1, column 45, at '<=')
-- name: an unknown metric
FROM patients ANONYMIZE BY zip GUARANTEE t(disease, 'ordred') <= .3
-- error: the metric 'ordred' looks like a misspelling of 'ordered'
-- name: a metric without quotes
FROM patients ANONYMIZE BY zip GUARANTEE t(disease, ordered) <= .3
-- error: expected a metric in single quotes; hint: write ANONYMIZE BY zip GUARANTEE t(disease, 'ordered') <= .3 (line 1, column 53, at 'ordered')
-- name: a tree that is not named
FROM patients ANONYMIZE BY zip GUARANTEE t(disease, 'hierarchical') <= .3
-- error: the metric 'hierarchical' needs a table with a tree
-- name: further than everything
FROM patients ANONYMIZE BY zip GUARANTEE t(disease) <= 1.01
-- error: t must be between 0 and 1, got 101/100
-- name: a share in percent
FROM patients ANONYMIZE BY zip GUARANTEE t(disease) <= 1%
-- error: a share must be a number from 0 to 1; hint: write ANONYMIZE BY zip GUARANTEE t(disease) <= 0.01
-- name: divided by nothing
FROM patients ANONYMIZE BY zip GUARANTEE t(disease) <= 1/0.0
-- error: a number cannot be divided by 0 (line 1, column 56, at '1/0.0')
-- name: divided by a word
FROM patients ANONYMIZE BY zip GUARANTEE t(disease) <= 1/three
-- error: expected a number; hint: write GUARANTEE t(disease, 'ordered') <= 0.3 (line 1, column 58, at 'three')
-- name: a limit for no value
FROM patients ANONYMIZE BY zip GUARANTEE alpha(disease) <= .3
-- error: expected , after the column; hint: write GUARANTEE alpha(disease, 'flu') <= 0.2
-- name: a limit for a number
FROM patients ANONYMIZE BY zip GUARANTEE alpha(age, 30) <= .3
-- error: expected the value in single quotes; hint: write GUARANTEE alpha(disease, 'flu') <= 0.2
-- name: no share at all
FROM patients ANONYMIZE BY zip GUARANTEE alpha(disease, 'flu') <= 0
-- error: alpha must be above 0 and at most 1, got 0
-- name: a sensitive column that may be suppressed
FROM patients ANONYMIZE BY zip, disease
GUARANTEE k >= 2 AND l(Disease) >= 2
-- error: a sensitive column cannot be in BY, because BY columns may be suppressed; hint: remove it from BY (line 2, column 24, at 'Disease')
-- name: a reserved word for a sensitive column
FROM patients ANONYMIZE BY zip GUARANTEE l(order) >= 2
-- error: ORDER is a reserved word; hint: quote it to use it as the name of a column: "order" (line 1, column 44, at 'order')
-- name: a qualified sensitive column
FROM patients p ANONYMIZE BY zip GUARANTEE l(p.disease) >= 2
-- error: a column name cannot be qualified here
-- name: a parameter for a threshold
FROM patients ANONYMIZE BY zip GUARANTEE t(disease) <= ?
-- error: parameters are not supported in the clause
-- name: a number alone
FROM patients ANONYMIZE BY zip GUARANTEE 5
-- error: expected a comparison after the number; hint: write ANONYMIZE BY zip GUARANTEE k >= 5
-- name: a number and nothing
FROM patients ANONYMIZE BY zip GUARANTEE 5 <= 6
-- error: expected a condition; hint: write GUARANTEE k >= 5
-- name: two trees
FROM patients ANONYMIZE BY zip GUARANTEE t(disease, 'hierarchical', 'a') <= .3 AND t(disease, 'hierarchical', 'b') <= .3
-- error: the sensitive column "disease" has two hierarchies
-- name: an upper bound
FROM patients ANONYMIZE BY zip GUARANTEE k <= 5
-- error: k supports only >= and >
-- name: either or
FROM patients ANONYMIZE BY zip GUARANTEE k >= 5 OR k >= 3
-- error: unexpected OR after the ANONYMIZE clause
-- name: a fraction of a row
FROM patients ANONYMIZE BY zip GUARANTEE k >= 2.5
-- error: expected a whole number
-- name: nobody
FROM patients ANONYMIZE BY zip GUARANTEE k >= 0
-- error: k must be a whole number of at least 1, got 0
-- name: a parameter
FROM patients ANONYMIZE BY zip GUARANTEE k >= ?
-- error: parameters are not supported in the clause; hint: write the value itself
-- name: a named parameter
FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 USING auto (seed = $seed)
-- error: parameters are not supported in the clause
-- name: people of another promise
FROM patients ANONYMIZE BY zip GUARANTEE l(disease) >= 2 PER patient_id
-- error: write PER directly after k, as in GUARANTEE k >= 5 PER patient_id
-- name: people, told apart by nothing
FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 PER AND l(disease) >= 2
-- error: AND is a reserved word
-- name: people told apart by a quasi-identifier
FROM patients ANONYMIZE BY zip, age GUARANTEE k >= 2 PER zip
-- error: the column "zip" that identifies people is also a quasi-identifier; hint: remove it from the quasi-identifiers, masks and linked columns, because it is never released
-- name: a qualified column
SELECT p.zip FROM patients p ANONYMIZE BY p.zip GUARANTEE k >= 2
-- error: a column name cannot be qualified here
-- name: a column twice
FROM patients ANONYMIZE BY zip, age, ZIP GUARANTEE k >= 2
-- error: the column is listed twice; hint: remove one of the two
-- name: a column twice in two items
FROM patients ANONYMIZE BY zip, GROUPING SETS ((age, zip), ()) GUARANTEE k >= 2
-- error: the column is listed twice; hint: remove one of the two
-- name: a column twice in one set
FROM patients ANONYMIZE BY GROUPING SETS ((age, age)) GUARANTEE k >= 2
-- error: the column is listed twice; hint: remove one of the two
-- name: a reserved word
FROM patients ANONYMIZE BY order GUARANTEE k >= 2
-- error: ORDER is a reserved word; hint: quote it to use it as the name of a column: "order"
-- name: a text for a column
FROM patients ANONYMIZE BY 'zip' GUARANTEE k >= 2
-- error: expected a column
-- name: an unknown recoding
FROM patients ANONYMIZE BY age IN DIGIT GUARANTEE k >= 2
-- error: expected a recoding after IN; hint: write ANONYMIZE BY age IN DIGITS GUARANTEE k >= 2
-- name: a hierarchy without its table
FROM patients ANONYMIZE BY age IN HIERARCHY GUARANTEE k >= 2
-- error: expected a table; hint: write job IN HIERARCHY jobs
-- name: a reserved word for the table of a hierarchy
FROM patients ANONYMIZE BY age IN HIERARCHY select GUARANTEE k >= 2
-- error: SELECT is a reserved word; hint: quote it to use it as the name of a table: "select"
-- name: no digits
FROM patients ANONYMIZE BY zip IN DIGITS (0) GUARANTEE k >= 2
-- error: the number of leading characters must be a whole number of at least 1
-- name: half a digit
FROM patients ANONYMIZE BY zip IN DIGITS (2.5) GUARANTEE k >= 2
-- error: expected the number of leading characters or levels; hint
-- name: intervals of no width
FROM patients ANONYMIZE BY age IN INTERVALS (0) GUARANTEE k >= 2
-- error: an interval width must be above 0
-- name: intervals that do not ascend
FROM patients ANONYMIZE BY age IN INTERVALS (10, 5) GUARANTEE k >= 2
-- error: interval widths must be in ascending order
-- name: periods that do not ascend
FROM patients ANONYMIZE BY age IN INTERVALS (year, month) GUARANTEE k >= 2
-- error: interval widths must be in ascending order
-- name: numbers and periods
FROM patients ANONYMIZE BY age IN INTERVALS (5, month) GUARANTEE k >= 2
-- error: intervals must be numbers or periods, not both; hint: write INTERVALS (5, 10), or INTERVALS (month, year)
-- name: losses that do not ascend
FROM patients ANONYMIZE BY age IN INTERVALS (5, 10) LOSS (0.5, 0.2) GUARANTEE k >= 2
-- error: level losses must be in ascending order
-- name: a loss of what has no levels
FROM patients ANONYMIZE BY zip IN BINS LOSS (0.5) GUARANTEE k >= 2
-- error: BINS does not support LOSS
-- name: an algorithm that there is not
FROM patients ANONYMIZE BY zip IN BINS (folded) GUARANTEE k >= 2
-- error: there is no algorithm 'folded' for BINS; hint: did you mean 'fold'? The algorithms for BINS are auto, balanced, spread, fold, plain_spread, bin_scheme, bin_exact
-- name: an algorithm of another grouping
FROM patients ANONYMIZE BY zip IN REGIONS adjacent (fold) GUARANTEE k >= 2
-- error: there is no algorithm 'fold' for REGIONS; hint: the algorithms for REGIONS are auto, regions, region_exact
-- name: an algorithm of rectangles that there is not
FROM patients ANONYMIZE BY (age, zip) IN RECTANGLES (bin_exact) GUARANTEE k >= 2
-- error: there is no algorithm 'bin_exact' for RECTANGLES; hint: the algorithms for RECTANGLES are auto, kd_tree, guillotine, rectangle_exact
-- name: parentheses without an algorithm
FROM patients ANONYMIZE BY zip IN BINS () GUARANTEE k >= 2
-- error: expected the name of an algorithm; hint: write BINS (fold), or omit the parentheses
-- name: an algorithm in quotes
FROM patients ANONYMIZE BY zip IN BINS ('fold') GUARANTEE k >= 2
-- error: expected the name of an algorithm
-- name: two algorithms of bins
FROM patients ANONYMIZE BY zip IN BINS (fold, spread) GUARANTEE k >= 2
-- error: expected ) after the name of the algorithm
-- name: two algorithms of a map
FROM patients ANONYMIZE BY zip IN REGIONS adjacent (regions, region_exact) GUARANTEE k >= 2
-- error: REGIONS lists two algorithms; hint: write REGIONS map (regions, 'merge')
-- name: merged twice
FROM patients ANONYMIZE BY zip IN REGIONS adjacent ('merge', 'merge') GUARANTEE k >= 2
-- error: REGIONS lists 'merge' twice
-- name: a rectangle of one coordinate
FROM patients ANONYMIZE BY age IN RECTANGLES GUARANTEE k >= 2
-- error: a rectangle needs exactly two coordinates; hint: write (lat, lon) IN RECTANGLES
-- name: a rectangle of a column with itself
FROM patients ANONYMIZE BY (age, AGE) IN RECTANGLES GUARANTEE k >= 2
-- error: the column is listed twice; hint: remove one of the two
-- name: two columns without RECTANGLES
FROM patients ANONYMIZE BY (age, zip) GUARANTEE k >= 2
-- error: a list of columns needs a keyword before it
-- name: two recodings of a column
FROM patients ANONYMIZE BY GROUPING SETS ((zip IN DIGITS (3)), (zip IN HIERARCHY zips, age)) GUARANTEE k >= 2
-- error: the column has two recodings
-- name: levels in one set, and none in another
FROM patients ANONYMIZE BY GROUPING SETS ((zip IN DIGITS (3), age), (zip)) GUARANTEE k >= 2
-- error: the column has levels in only some of the sets; hint: write levels in every set, as in GROUPING SETS ((zip IN DIGITS (3), age), (zip IN DIGITS (5)))
-- name: levels only behind the first set
FROM patients ANONYMIZE BY GROUPING SETS ((zip, age), (zip IN DIGITS (3))) GUARANTEE k >= 2
-- error: the column has levels in only some of the sets
-- name: losses of levels that are listed twice
FROM patients ANONYMIZE BY GROUPING SETS ((zip IN DIGITS (3) LOSS (0.5), age), (zip IN DIGITS (2))) GUARANTEE k >= 2
-- error: the column has two recodings; hint: use only one of them, with one list of levels in LOSS
-- name: a linked column that is generalized
FROM patients ANONYMIZE BY zip IN DIGITS, age LINKED (zip, age) GUARANTEE k >= 2
-- error: the linked column "zip" is also generalized; hint: remove its recoding, or do not link it
-- name: ranges with masks
FROM patients ANONYMIZE BY GROUPING SETS ((zip, age IN RANGES), ()) GUARANTEE k >= 2
-- error: RANGES, SETS, MEANS and MEDIANS cannot be combined with masks
-- name: a linked column that is not in the list
FROM patients ANONYMIZE BY zip, age LINKED (zip, disease) GUARANTEE k >= 2
-- error: a linked column is not in the BY list; hint: write LINKED after all columns, as in BY city, zip, age LINKED (city, zip) (line 1, column 50, at 'disease')
-- name: linked in front of a column
FROM patients ANONYMIZE BY zip LINKED (zip, age), age GUARANTEE k >= 2
-- error: a linked column is not in the BY list; hint: write LINKED after all columns, as in BY city, zip, age LINKED (city, zip) (line 1, column 45, at 'age')
-- name: a list that goes on behind linked
FROM patients ANONYMIZE BY zip, age LINKED (zip, age), disease GUARANTEE k >= 2
-- error: expected LINKED or GUARANTEE; hint: write BY a, b, c, d LINKED (a, b) LINKED (c, d) GUARANTEE k >= 5 (line 1, column 54, at ',')
-- name: a second group without its LINKED
FROM patients ANONYMIZE BY zip, age, disease LINKED (zip, age), (disease, age) GUARANTEE k >= 2
-- error: expected LINKED or GUARANTEE
-- name: linked to nothing
FROM patients ANONYMIZE BY zip, age LINKED (zip) GUARANTEE k >= 2
-- error: LINKED needs at least two columns; hint: write LINKED (city, zip), after all columns (line 1, column 44, at '(zip)')
-- name: an empty group
FROM patients ANONYMIZE BY zip, age LINKED () GUARANTEE k >= 2
-- error: expected a column
-- name: linked without a list
FROM patients ANONYMIZE BY zip, age LINKED zip GUARANTEE k >= 2
-- error: expected ( after LINKED; hint: write LINKED (city, zip) (line 1, column 44, at 'zip')
-- name: linked to itself
FROM patients ANONYMIZE BY zip, age
LINKED (zip, Zip) GUARANTEE k >= 2
-- error: the column is linked twice; hint: use it in only one LINKED group (line 2, column 14, at 'Zip')
-- name: a column in two groups
FROM patients ANONYMIZE BY zip, age, disease LINKED (zip, age) LINKED (age, disease) GUARANTEE k >= 2
-- error: the column is linked twice; hint: use it in only one LINKED group (line 1, column 72, at 'age')
-- name: a weight in a group
FROM patients ANONYMIZE BY zip, age LINKED (zip, age WEIGHT 2) GUARANTEE k >= 2
-- error: expected ) after the linked columns
-- name: linked as an item
FROM patients ANONYMIZE BY LINKED (zip, age) GUARANTEE k >= 2
-- error: LINKED must come after all columns; hint: write BY city, zip, age LINKED (city, zip)
-- name: linked inside of a cube
FROM patients ANONYMIZE BY CUBE (zip, age LINKED (zip, age)) GUARANTEE k >= 2
-- error: expected ) after the columns
-- name: no mask shows all linked columns or none
FROM patients ANONYMIZE BY GROUPING SETS ((zip, age), (disease, zip)) LINKED (age, disease) GUARANTEE k >= 2
-- error: every mask shows only some of the linked columns
-- name: linked behind the guarantee
FROM patients ANONYMIZE BY zip, age GUARANTEE k >= 2 LINKED (zip, age)
-- error: unexpected LINKED after the ANONYMIZE clause
-- name: a list without a kind
FROM patients ANONYMIZE BY (zip, age) GUARANTEE k >= 2
-- error: a list of columns needs a keyword before it
-- name: no weight
FROM patients ANONYMIZE BY zip WEIGHT 0 GUARANTEE k >= 2
-- error: the weight of "zip" must be above 0
-- name: a weight beyond number
FROM patients ANONYMIZE BY zip WEIGHT 1e999999999 GUARANTEE k >= 2
-- error: expected a number; hint: write WEIGHT 3, WEIGHT 0.5 or WEIGHT 7/3
-- name: two weights
FROM patients ANONYMIZE BY GROUPING SETS ((zip), (zip WEIGHT 2)) GUARANTEE k >= 2
-- error: the column has two weights
-- name: an unknown option
FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 USING auto (speed = 9)
-- error: unknown option speed; hint: did you mean effort?
-- name: a share of suppressed rows for another algorithm
FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 USING auto (max_suppressed = 0.1)
-- error: max_suppressed needs the algorithm 'full_domain'
-- name: more than all rows
FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 USING full_domain (max_suppressed = 1.5)
-- error: max_suppressed must be a share of the rows between 0 and 1
-- name: an option twice
FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 USING auto (seed = 9, seed = 9)
-- error: the option seed is given twice
-- name: a seed that is no number
FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 USING auto (seed = '9')
-- error: seed must be a whole number
-- name: no time
FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 USING auto (time_limit = 0)
-- error: time_limit must be a number of seconds above 0
-- name: using nothing
FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 USING ORDER BY zip
-- error: expected the name of an algorithm
-- name: a sample behind the clause
FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 USING SAMPLE 10%
-- error: USING SAMPLE is part of the query
-- name: order in front
SELECT zip FROM patients ORDER BY zip ANONYMIZE BY zip GUARANTEE k >= 2
-- error: ORDER must come after the ANONYMIZE clause
-- name: limit in front
SELECT zip FROM patients LIMIT 3 ANONYMIZE BY zip GUARANTEE k >= 2
-- error: LIMIT must come after the ANONYMIZE clause
-- name: where behind
FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 WHERE age > 3
-- error: WHERE must come before the ANONYMIZE clause
-- name: union behind
SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 UNION ALL SELECT zip FROM patients
-- error: an ANONYMIZE clause before UNION is ambiguous; hint: put its query in parentheses
-- name: union behind the order
SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 ORDER BY zip EXCEPT SELECT zip FROM patients
-- error: an ANONYMIZE clause before EXCEPT is ambiguous
-- name: two clauses
FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 ANONYMIZE BY age GUARANTEE k >= 2
-- error: unexpected ANONYMIZE after the ANONYMIZE clause
-- name: two clauses around the order
FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 ORDER BY zip ANONYMIZE BY age GUARANTEE k >= 2
-- error: a query can have only one ANONYMIZE clause
-- name: an update
UPDATE patients SET age = 1 ANONYMIZE BY zip GUARANTEE k >= 2
-- error: ANONYMIZE needs a query before it, not UPDATE
-- name: a copied table
COPY patients ANONYMIZE BY zip GUARANTEE k >= 2 TO 'out.csv'
-- error: ANONYMIZE needs a query before it, not COPY
-- name: an expression
SELECT (age + 1 ANONYMIZE BY age GUARANTEE k >= 2) FROM patients
-- error: ANONYMIZE needs a query before it, not age
-- name: a table in parentheses
FROM (patients ANONYMIZE BY zip GUARANTEE k >= 2)
-- error: ANONYMIZE needs a query before it, not patients
-- name: nothing in front
ANONYMIZE BY zip GUARANTEE k >= 2
-- error: ANONYMIZE needs a query before it, not nothing
-- name: an unfinished query
SELECT zip FROM patients WHERE ANONYMIZE BY zip GUARANTEE k >= 2
-- error: the query before ANONYMIZE is not finished; hint
-- name: an open quote
SELECT 'zip FROM patients ANONYMIZE BY zip GUARANTEE k >= 2
-- error: the SQL text cannot be parsed
-- name: an open bracket
SELECT (zip FROM patients ANONYMIZE BY zip GUARANTEE k >= 2
-- error: this bracket is never closed
-- name: a bracket too many
SELECT zip) FROM patients ANONYMIZE BY zip GUARANTEE k >= 2
-- error: this bracket was never opened
-- name: a policy that is not there
FROM patients ANONYMIZE WITH POLICY reserch
-- error: there is no policy "reserch"; hint: did you mean "research"? (line 1, column 15, at 'ANONYMIZE WITH POLICY reserch')
-- name: a policy without a name
FROM patients ANONYMIZE WITH POLICY
-- error: expected a policy; hint: write ANONYMIZE WITH POLICY research
-- name: a policy named by a text
FROM patients ANONYMIZE WITH POLICY 'research'
-- error: expected a policy; hint: write ANONYMIZE WITH POLICY research
-- name: a policy in a schema
FROM patients ANONYMIZE WITH POLICY main.research
-- error: a policy name cannot have a schema
-- name: a policy and a guarantee
FROM patients ANONYMIZE WITH POLICY research GUARANTEE k >= 5
-- error: unexpected GUARANTEE after the ANONYMIZE clause
-- name: a policy behind the order
SELECT zip FROM patients ORDER BY zip ANONYMIZE WITH POLICY research
-- error: ORDER must come after the ANONYMIZE clause
-- name: two policies for a query
FROM patients ANONYMIZE WITH POLICY research ORDER BY zip ANONYMIZE WITH POLICY research
-- error: a query can have only one ANONYMIZE clause
-- name: a reserved word for a policy
CREATE ANONYMIZATION POLICY order ON patients (BY zip; GUARANTEE k >= 5)
-- error: ORDER is a reserved word; hint: quote it to use it as the name of a policy: "order"
-- name: a policy on nothing
CREATE ANONYMIZATION POLICY p (BY zip; GUARANTEE k >= 5)
-- error: expected ON after the name
-- name: a policy on a reserved word
CREATE ANONYMIZATION POLICY p ON main.table (BY zip; GUARANTEE k >= 5)
-- error: TABLE is a reserved word; hint: quote it to use it as the name of a table: "table"
-- name: a policy of nothing
CREATE ANONYMIZATION POLICY p ON patients ()
-- error: unknown policy part ); hint: use one of IDENTIFIER, BY, KEEP, GUARANTEE, USING
-- name: an unknown part
CREATE ANONYMIZATION POLICY p ON patients (IDENTIFIERS name; BY zip; GUARANTEE k >= 5)
-- error: unknown policy part IDENTIFIERS; hint: write CREATE ANONYMIZATION POLICY p ON patients (IDENTIFIER name; BY zip; GUARANTEE k >= 5) (line 1, column 44, at 'IDENTIFIERS')
-- name: a part twice
CREATE ANONYMIZATION POLICY p ON patients (BY zip; BY age; GUARANTEE k >= 5)
-- error: BY is given twice
-- name: a policy without a guarantee
CREATE ANONYMIZATION POLICY p ON patients (BY zip, age)
-- error: the policy has no GUARANTEE; hint: add GUARANTEE k >= 5
-- name: a policy without quasi-identifiers
CREATE ANONYMIZATION POLICY p ON patients (IDENTIFIER name; GUARANTEE k >= 5)
-- error: the policy has no BY; hint: add BY zip, age
-- name: parts without a semicolon
CREATE ANONYMIZATION POLICY p ON patients (BY zip, age GUARANTEE k >= 5)
-- error: expected a semicolon or ) after this part; hint: write CREATE ANONYMIZATION POLICY p ON patients (BY zip, age; GUARANTEE k >= 5) (line 1, column 56, at 'GUARANTEE')
-- name: an identifier that is a quasi-identifier
CREATE ANONYMIZATION POLICY p ON patients (IDENTIFIER name, Zip; BY zip, age; GUARANTEE k >= 5)
-- error: the column "zip" is already an identifier; hint: give it only one role (line 1, column 66, at 'BY zip, age')
-- name: a quasi-identifier that is kept
CREATE ANONYMIZATION POLICY p ON patients (BY zip, age; KEEP notes, AGE; GUARANTEE k >= 5)
-- error: the column is already a quasi-identifier; hint: give it only one role (line 1, column 69, at 'AGE')
-- name: an identifier twice
CREATE ANONYMIZATION POLICY p ON patients (IDENTIFIER name, name; BY zip; GUARANTEE k >= 5)
-- error: the column is already an identifier; hint: give it only one role
-- name: a sensitive quasi-identifier in front of BY
CREATE ANONYMIZATION POLICY p ON patients (GUARANTEE l(disease) >= 2; BY zip, disease)
-- error: the sensitive column "disease" is also a quasi-identifier; hint: remove it from the quasi-identifiers, masks and linked columns, because it is released unchanged
-- name: a sensitive identifier
CREATE ANONYMIZATION POLICY p ON patients (IDENTIFIER disease; BY zip; GUARANTEE l(disease) >= 2)
-- error: the policy "p": the column "disease" is both an identifier and sensitive; hint: give it only one role
-- name: a policy that goes on
CREATE ANONYMIZATION POLICY p ON patients (BY zip; GUARANTEE k >= 5) WITH NO DATA
-- error: unexpected WITH after the statement
-- name: a policy that is never closed
CREATE ANONYMIZATION POLICY p ON patients (BY zip; GUARANTEE k >= 5; SELECT 1
-- error: this bracket is never closed
-- name: drop a policy that is not there
DROP ANONYMIZATION POLICY Resaerch
-- error: there is no policy "Resaerch"; hint: did you mean "research"?
-- name: drop two policies
DROP ANONYMIZATION POLICY research, other
-- error: unexpected , after the statement
-- name: show some policies
SHOW ANONYMIZATION POLICIES LIKE 'r%'
-- error: unexpected LIKE after the statement
-- name: explain anonymize without a clause
EXPLAIN ANONYMIZE FROM patients
-- error: EXPLAIN ANONYMIZE needs a query with an ANONYMIZE clause; hint: write EXPLAIN ANONYMIZE FROM patients ANONYMIZE BY zip GUARANTEE k >= 5, without CREATE, INSERT or parentheses around it
-- name: explain anonymize of nothing
EXPLAIN ANONYMIZE
-- error: EXPLAIN ANONYMIZE needs a query with an ANONYMIZE clause; hint: write EXPLAIN ANONYMIZE FROM patients ANONYMIZE BY zip GUARANTEE k >= 5, without CREATE, INSERT or parentheses around it
-- name: explain anonymize of a clause within
EXPLAIN ANONYMIZE SELECT * FROM (FROM patients ANONYMIZE BY zip GUARANTEE k >= 2)
-- error: EXPLAIN ANONYMIZE needs a query with an ANONYMIZE clause; hint: write EXPLAIN ANONYMIZE FROM patients ANONYMIZE BY zip GUARANTEE k >= 5, without CREATE, INSERT or parentheses around it
-- name: explain anonymize of a table that would be created
EXPLAIN ANONYMIZE CREATE TABLE released AS FROM patients ANONYMIZE BY zip GUARANTEE k >= 2
-- error: EXPLAIN ANONYMIZE needs a query with an ANONYMIZE clause; hint: write EXPLAIN ANONYMIZE FROM patients ANONYMIZE BY zip GUARANTEE k >= 5, without CREATE, INSERT or parentheses around it
-- name: explain anonymize of an insert
EXPLAIN ANONYMIZE WITH a AS (FROM patients) INSERT INTO target FROM a ANONYMIZE BY zip GUARANTEE k >= 2
-- error: EXPLAIN ANONYMIZE needs a query with an ANONYMIZE clause; hint: write EXPLAIN ANONYMIZE FROM patients ANONYMIZE BY zip GUARANTEE k >= 5, without CREATE, INSERT or parentheses around it
-- name: groups of rows
SELECT zip, count(*) AS n FROM patients GROUP BY zip ANONYMIZE BY zip GUARANTEE k >= 5
-- error: GROUP BY can merge several people into one row, so the guarantee would count rows, not people; hint: release the rows first, then group them: CREATE TABLE released AS SELECT ... ANONYMIZE BY ...; SELECT ... FROM released GROUP BY ...; or, if each row of this query counts as one person, write k >= 5 PER ROW (line 1, column 41, at 'GROUP BY')
-- name: groups of rows explained
EXPLAIN ANONYMIZE SELECT zip, count(*) AS n FROM patients GROUP BY ALL ANONYMIZE BY zip GUARANTEE k >= 5
-- error: GROUP BY can merge several people into one row
-- name: groups of rows under a policy
SELECT zip, count(*) AS n FROM patients GROUP BY ALL ANONYMIZE WITH POLICY research
-- error: GROUP BY can merge several people into one row
-- name: groups of rows under a population
SELECT zip, count(*) AS n FROM patients GROUP BY ALL ANONYMIZE BY zip GUARANTEE k >= 5 IN census
-- error: write k >= 1 PER ROW
-- name: equal rows merged
SELECT DISTINCT zip FROM patients ANONYMIZE BY zip GUARANTEE k >= 5
-- error: DISTINCT can merge several people into one row, so the guarantee would count rows, not people; hint: remove DISTINCT; or, if each row of this query counts as one person, write k >= 5 PER ROW (line 1, column 8, at 'DISTINCT')
-- name: a union without all
SELECT zip FROM patients UNION SELECT zip FROM target ANONYMIZE BY zip GUARANTEE k >= 5
-- error: UNION can merge several people into one row, so the guarantee would count rows, not people; hint: use UNION ALL, which keeps a row for each person; or, if each row of this query counts as one person, write k >= 5 PER ROW (line 1, column 26, at 'UNION')
-- name: an aggregate function
SELECT sum(age) AS age FROM patients ANONYMIZE BY age GUARANTEE k >= 1
-- error: sum(...) can merge several people into one row
-- name: groups of rows above
WITH sizes AS (SELECT zip, count(*) AS n FROM patients GROUP BY zip) SELECT * FROM sizes ANONYMIZE BY zip GUARANTEE k >= 5
-- error: GROUP BY can merge several people into one row, so the guarantee would count rows, not people; hint: release the rows first, then group them: CREATE TABLE released AS SELECT ... ANONYMIZE BY ...; SELECT ... FROM released GROUP BY ...; or, if each row of this query counts as one person, write k >= 5 PER ROW (line 1, column 56, at 'GROUP BY')
-- name: groups whose person is one of many
SELECT zip, min(age) AS age FROM patients GROUP BY zip ANONYMIZE BY zip GUARANTEE k >= 5 PER age
-- error: GROUP BY can merge several people into one row, so the guarantee would count them as one person; hint: return the column age itself, so that each row belongs to one person; or, if each row of this query counts as one person, write k >= 5 PER ROW (line 1, column 43, at 'GROUP BY')
-- name: the top under the bottom
FROM patients ANONYMIZE BY age TOP 18 BOTTOM 90 GUARANTEE k >= 2
-- error: TOP must be above BOTTOM; hint: write age TOP 90 BOTTOM 18
-- name: an end twice
FROM patients ANONYMIZE BY age TOP 90 TOP 80 GUARANTEE k >= 2
-- error: TOP is given twice
-- name: an end without a number
FROM patients ANONYMIZE BY age IN INTERVALS (5) TOP GUARANTEE k >= 2
-- error: expected a number; hint: write age TOP 90, or age IN CUTS (0, 18, 65, 90)
-- name: an end of chosen intervals
FROM patients ANONYMIZE BY age IN INTERVALS TOP 90 GUARANTEE k >= 2
-- error: TOP and BOTTOM need interval widths
-- name: an end of periods that is no year
FROM patients ANONYMIZE BY age IN INTERVALS (year) TOP 2000.5 GUARANTEE k >= 2
-- error: TOP and BOTTOM must be years for dates; hint: write born IN INTERVALS (year) BOTTOM 1936
-- name: an end of leading characters
FROM patients ANONYMIZE BY zip IN DIGITS TOP 90 GUARANTEE k >= 2
-- error: DIGITS does not support TOP; hint: write INTERVALS (5, 10) TOP 90, or TOP 90 alone
-- name: other ends in another set
FROM patients ANONYMIZE BY GROUPING SETS ((age TOP 90, zip), (age IN INTERVALS (10)), ()) GUARANTEE k >= 2
-- error: the column has two recodings; hint: write the same TOP and BOTTOM in every set
-- name: no cuts
FROM patients ANONYMIZE BY age IN CUTS GUARANTEE k >= 2
-- error: CUTS needs at least one cut; hint: write age IN CUTS (18, 65)
-- name: cuts that do not ascend
FROM patients ANONYMIZE BY age IN CUTS (18, 18) GUARANTEE k >= 2
-- error: cuts must be in ascending order
-- name: a cut beyond an end
FROM patients ANONYMIZE BY age IN CUTS (18, 95) TOP 90 GUARANTEE k >= 2
-- error: cuts must be above BOTTOM and at most TOP
-- name: only chosen intervals
FROM patients ANONYMIZE BY age IN INTERVALS ONLY GUARANTEE k >= 2
-- error: INTERVALS ONLY needs widths
-- name: rows of a person and known columns
SELECT zip, age FROM patients ANONYMIZE BY zip, age GUARANTEE k >= 5 PER ROW FOR (zip), (age)
-- error: PER ROW and FOR are separate guarantees; hint: write GUARANTEE k >= 1 PER ROW AND k >= 5 FOR (zip), (age) (line 1, column 63, at 'k >= 5 PER ROW FOR (zip), (age)')
