-- The combinations of keys that may have people, if only some are possible. Slots: see published_rows.py.
DELETE FROM "kanon#base" AS b
WHERE NOT EXISTS (FROM possible AS p WHERE ${same})
