-- mask_number(number): an end or a cut of a mask as a decimal number, without the underscores and spaces that it may be written with.

CASE WHEN system.main.regexp_full_match(system.main.translate(<number>, '_ ', ''), '-?([0-9]{1,18}(\.[0-9]{0,18})?|\.[0-9]{1,18})')
    THEN system.main.translate(<number>, '_ ', '')
    ELSE system.main.error('kanon: a mask has an end or a cut that is not a number of at most 18 digits before and after the decimal point')
END
