-- suppress_literal(): the argument suppress as SQL.

coalesce('''' || system.main.replace(suppress::VARCHAR, '''', '''''') || '''', 'NULL::VARCHAR')
