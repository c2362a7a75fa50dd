-- sensitive_column(): the sensitive attribute as a column of source.

CASE
    WHEN coalesce(sa::VARCHAR, '') = '' THEN system.main.error('kanon: sa is missing (name the sensitive attribute)')
    ELSE 'source."' || system.main.replace(coalesce(sa::VARCHAR, ''), '"', '""') || '"'
END
