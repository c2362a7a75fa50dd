-- exact(number): a number as text, times 10^18; NULL if it is none or has more than 20 digits before the decimal point.

system.main.concat(system.main.replace(TRY_CAST(<number>::VARCHAR AS DECIMAL(38, 18))::VARCHAR, '.', ''), '::HUGEINT')
