-- joint_table_arguments(): the arguments of joint_tables from those of the macro, as SQL.

coalesce(@literal(released::VARCHAR), 'NULL'),
coalesce(@literal(original::VARCHAR), 'NULL'),
@named_columns(original; compare)
,
@map_literal(hierarchies)
,
@suppress_literal()
,
coalesce(bins::BIGINT::VARCHAR, 'NULL')
