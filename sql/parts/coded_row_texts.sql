-- coded_row_texts(names): what takes the places 7 to 10 in the text of coded_rows, for some columns.

@numbered_columns(codes{0}.code AS c{0}; , ; <names>)
,
@numbered_columns(JOIN (SELECT symbol, code FROM "kanon#codes" WHERE position = {0}) AS codes{0} ON codes{0}.symbol IS NOT DISTINCT FROM rows_of.c{0};  ; <names>)
,
@numbered_columns(codes{0}.bin AS c{0}; , ; <names>)
,
@numbered_columns(JOIN (SELECT symbol, bin FROM "kanon#codes" WHERE position = {0}) AS codes{0} ON codes{0}.symbol IS NOT DISTINCT FROM rows_of.c{0};  ; <names>)
