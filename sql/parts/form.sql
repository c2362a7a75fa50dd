-- form(text; look; check; share; facts; reason; paragraph): the branch of a CASE for a form that the texts of a column have.

WHEN system.main.avg(CASE WHEN NOT system.main.regexp_full_match(<text>, ''<look>'') THEN 0 <check>ELSE 1 END) >= <share><facts>
THEN {{''reason'': ''<reason>'', ''paragraph'': ''<paragraph>''}}
