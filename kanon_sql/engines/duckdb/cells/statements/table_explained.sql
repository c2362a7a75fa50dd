-- What protecting a table would take; no row of it is shown. Slots: see query.py.
${gathered}
SELECT system.main.unnest("kanon#e", recursive := true)
FROM (
    SELECT system.main.unnest(system.main.kanon_explain_cells(
        run, (SELECT system.main.count("kanon#arrived") FROM "kanon#cells"))) AS "kanon#e"
    FROM "kanon#run"
)
