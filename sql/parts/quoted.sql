-- quoted(name): a name of a column in quotes, as SQL.

system.main.concat('"', system.main.replace(<name>, '"', '""'), '"')
