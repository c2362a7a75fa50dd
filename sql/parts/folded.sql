-- folded(text): a text in small letters without accents and apostrophes.

system.main.translate(system.main.lower(
    @plain(<text>)
    ), ''''''’'', '''')
