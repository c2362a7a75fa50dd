-- says_age(name): whether a column holds an age or years of service by its name: these grow from one row of a person to the next.

system.main.regexp_full_match(
    @called(<name>)
    , ''@named(age)|(.*_)?(tenure|seniority|years_?of_?service|service_?years|dienst_?jahre|anciennete|antiguedad|anzianita|dienst_?jaren|anos_de_servico|staz_?pracy)(_.*)?'')
AND NOT system.main.regexp_matches(
    @called(<name>)
    , ''gr[ou]+p|grp|cat|kat|band|range|klas|class|bin|bucket|tranche|faixa|fascia|dec'')
