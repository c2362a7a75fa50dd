-- text_literal(name): a name as SQL writes a text, in single quotes.

system.main.concat('''''''', system.main.replace(<name>, '''''''', ''''''''''''), '''''''')
