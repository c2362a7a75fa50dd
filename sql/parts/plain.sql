-- plain(text): a text without accents, and with letters that are in none of 26 spelled by these, as in `kanon_sql/recognition/names.py`.

system.main.translate(
    system.main.replace(system.main.replace(system.main.replace(system.main.replace(system.main.replace(system.main.replace(
        system.main.strip_accents(<text>), ''ß'', ''ss''), ''ẞ'', ''SS''), ''æ'', ''ae''), ''Æ'', ''AE''), ''œ'', ''oe''), ''Œ'', ''OE''),
    ''øØłŁđ'', ''oOlLd'')
