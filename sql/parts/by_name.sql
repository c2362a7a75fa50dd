-- by_name(paragraph; look): the rule that a column breaks by its name.

{{''paragraph'': ''<paragraph>'', ''cells'': CASE WHEN system.main.regexp_full_match(called, ''<look>'') THEN shown END, ''reason'': ''by its name''}},
