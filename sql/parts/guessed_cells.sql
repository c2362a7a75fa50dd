-- guessed_cells(most; names): what columns without a role give back, with words: guesses that are right, and better than the commonest value; a sum is rounded.

SELECT place, system.main.string_agg(system.main.format(''gives back {{:.1f}}% of the suppressed cells of {{}}'',
           system.main."/"(system.main.multiply(100.0::DOUBLE, hit), cells),
           system.main.list_extract(<names>, system.main.add(qi, 1))), '' and '' ORDER BY qi ASC NULLS LAST) AS words
FROM (
    SELECT place, qi, hit, cells
    FROM (
        SELECT place, qi, least, system.main.sum(hit) AS hit, system.main.sum(miss) AS miss
        FROM "kanon guessed", (VALUES (2), (5)) AS sizes(least)
        WHERE size >= least
        GROUP BY place, qi, least
    ) AS guessed
    JOIN (
        SELECT qi AS own, system.main.sum("rows") AS "rows", system.main.max("rows") AS top, system.main.sum(cells) AS cells
        FROM "kanon known"
        GROUP BY qi
    ) AS known ON own = qi
    WHERE system.main.multiply(hit, 1e18) > system.main.multiply(cells, system.main.add(<most>, 1e9))
        AND system.main.multiply(miss, 20) <= system.main.add(hit, miss)
        AND system.main.multiply(system.main.multiply(miss, 2), "rows")
            <= system.main.multiply(system.main.add(hit, miss), system.main.subtract("rows", top))
        AND top < "rows" AND NOT EXISTS (FROM "kanon shown" WHERE shown IS NULL)
    QUALIFY system.main.row_number() OVER (PARTITION BY place, qi ORDER BY hit DESC NULLS LAST) = 1
) AS told
GROUP BY place
