-- looks(query): of each column of a query, by its number i, what the texts of some rows look like; see `kanon_sql/recognition/forms.toml`.

SELECT i, system.main.count(*) AS texts,
       CASE @forms() ELSE NULL END AS form,
       CASE @forms(identifiers) ELSE NULL END AS form_after_identifiers,
       CASE @forms(names) ELSE NULL END AS form_after_names,
       system.main.avg(CASE WHEN system.main.regexp_full_match(look, ''@date(look)'') THEN 1 ELSE 0 END) >= 0.8 AS date_like,
       system.main.avg(CASE WHEN system.main.regexp_full_match(look, ''@constant(NUMBER)'') THEN 1 ELSE 0 END) >= 0.8 AS numbers,
       -- many values, none of them half of the rows, and few of them high
       system.main.avg(CASE WHEN TRY_CAST(look AS INTEGER) BETWEEN 0 AND 130 THEN 1 ELSE 0 END) >= 0.98
           AND system.main.avg(CASE WHEN TRY_CAST(look AS INTEGER) >= 90 THEN 1 ELSE 0 END) <= 0.05
           AND system.main.entropy(look) >= 4.5 AS ages_like,
       system.main.bool_and(system.main.regexp_full_match(look, ''@constant(ANSWER)'')) AS answers
FROM (
    SELECT *, system.main.translate(system.main.lower(
        @plain(look)
        ), '''''''' || system.main.chr(8217), '''') AS plain
    FROM (
        SELECT system.main.trim(system.main.left(system.main.unnest(texts), @constant(LONGEST))) AS look, system.main.unnest(system.main.range(1, system.main.len(texts) + 1)) AS i
        FROM (
            SELECT system.main.list_value(*COLUMNS(*)) AS texts
            FROM (SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (<query> USING SAMPLE reservoir(1024 ROWS) REPEATABLE (7)))
        )
    )
    WHERE look <> '''' AND look <> ''*''
)
GROUP BY i
