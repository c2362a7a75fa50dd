-- topic(pattern; exceptions; topic): the branch of a CASE for a rule about names of columns.

WHEN system.main.regexp_full_match(called, ''<pattern>'')<exceptions> THEN <topic>
