-- texts(query): the rows of a query as the texts that a reader sees.

SELECT @text_of(COLUMNS(*)) COLLATE "binary"
FROM (
    @spelled(<query>)
) AS source
