-- to_hash(query; shown; columns): the rows of a query, where values with one hash are equal in nearly all cases.

SELECT <shown>CASE WHEN system.main.regexp_matches(system.main.typeof(<columns>), ''VARCHAR|TUPLE\(|VARIANT|HUGEINT|DECIMAL\((19|[23][0-9])|\[|MAP\(|UNION\(|STRUCT\('')
    THEN system.main.hash(system.main.create_sort_key(system.main.row(<columns>), ''ASC NULLS LAST'')) ELSE system.main.hash(<columns>) END
FROM (
    @one_spelling(<query>; VARIANT|INTERVAL\[|.(STRUCT|TUPLE|MAP|UNION)\(.*INTERVAL; <shown>; <columns>)
) AS source
