SELECT 0 AS wrong
