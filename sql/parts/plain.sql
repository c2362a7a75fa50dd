-- plain(text): a text without accents, and with letters that are in none of 26 spelled by these, as in `kanon_sql/recognition/names.py`.

system.main.translate(
    system.main.replace(system.main.replace(system.main.replace(system.main.replace(system.main.replace(system.main.replace(
        system.main.strip_accents(<text>), system.main.chr(223), ''ss''), system.main.chr(7838), ''SS''), system.main.chr(230), ''ae''),
        system.main.chr(198), ''AE''), system.main.chr(339), ''oe''), system.main.chr(338), ''OE''),
    system.main.concat(system.main.chr(248), system.main.chr(216), system.main.chr(322), system.main.chr(321), system.main.chr(273)), ''oOlLd'')
