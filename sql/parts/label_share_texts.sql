-- label_share_texts(names; bins): what takes the places 0 to 6 in the text of label_shares, for some columns.

@list_literal(<names>; name)
,
system.main.replace(
    @numbered_columns(system.main.nullif(system.main.encode(@text_of(source.{1})), system.main.encode(:suppress)) AS c{0}; , ; <names>)
    , ':suppress',
    @suppress_literal()
    ),
@table(released)
,
@table(original)
,
@numbered_columns(SELECT {0}, c{0}, system.main.count(*), 0 FROM "kanon#released" GROUP BY c{0} UNION ALL SELECT {0}, c{0}, 0, system.main.count(*) FROM "kanon#original" GROUP BY c{0};  UNION ALL ; <names>)
,
@trees()
,
CASE WHEN <bins> >= 1 THEN <bins>::BIGINT ELSE system.main.error('kanon: bins is a number of groups of values, at least 1') END
