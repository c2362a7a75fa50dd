-- spelled(query): the rows of a query, each value in one spelling.

@one_spelling(<query>; INTERVAL|VARIANT; ; COLUMNS(*))
