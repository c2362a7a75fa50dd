-- sensitive_name(): the name of the sensitive column as a literal.

CASE WHEN coalesce(sa::VARCHAR, '') = '' THEN system.main.error('kanon: sa is missing (name the sensitive column)')
    ELSE @literal(sa::VARCHAR) END
