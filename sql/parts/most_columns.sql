-- most_columns(): the argument n, a number of columns.

CASE WHEN n >= 1 THEN system.main.least(n::BIGINT, 60)::VARCHAR
    ELSE system.main.error('kanon: n is the greatest number of columns of a set, at least 1')
END
