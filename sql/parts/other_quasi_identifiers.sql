-- other_quasi_identifiers(): the quasi-identifiers as columns of source; by default every column but the sensitive attribute.

CASE
    WHEN qi IS NULL THEN 'COLUMNS(source.* EXCLUDE ("' || system.main.replace(coalesce(sa::VARCHAR, ''), '"',
        '""') || '"))'
@checked_columns(NULL takes every column but sa)
    WHEN system.main.list_contains(
        system.main.list_transform(qi::VARCHAR[], lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')),
        system.main.translate(sa::VARCHAR, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))
    THEN system.main.error('kanon: sa is one of the columns of qi (a sensitive attribute is no quasi-identifier)')
@listed_columns()
