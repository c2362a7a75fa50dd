-- some(text; look; share): a further condition of a form: a share of the texts looks so.

 AND system.main.avg(CASE WHEN system.main.regexp_full_match(<text>, ''<look>'') THEN 1 ELSE 0 END) >= <share>
