SELECT count(*) FILTER (coalesce(label IN (
        value, strftime(t, '%Y-%m-%d'), strftime(t, '%Y-%m'), concat(strftime(t, '%Y'), '-Q', quarter(t)), strftime(t, '%Y'),
        concat(format('{:03}', year(t) // 10), '0s')), false) IS FALSE) AS wrong
    FROM (SELECT value, label, TRY_CAST(value AS TIMESTAMP) AS t FROM "kanon#shown")
