-- drifting(name): whether a column holds an age or years of service, by its name: such a number grows from one row of a person to the next.

system.main.regexp_full_match(@plain_name(<name>),
    ''(.*_)?(age|ageat.*|alter|edad|eta|leeftijd|idade|wiek|tenure|seniority|years_of_service|service_years|dienstjahre|anciennete|antiguedad|anzianita|dienstjaren|anos_de_servico|staz_pracy)(_.*)?'')
