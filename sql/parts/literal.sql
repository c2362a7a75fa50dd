-- literal(text): a text as a literal of SQL; NULL for NULL.

system.main.format('''{}''', system.main.replace(<text>, '''', ''''''))
