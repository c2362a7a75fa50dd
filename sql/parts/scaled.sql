-- scaled(step): a number of a mask as a whole number, of as many decimals as the finest has.

system.main.replace(system.main.left(<step>::VARCHAR, system.main.subtract(system.main.add(system.main.length(<step>::VARCHAR), decimals), 18)),
    ''.'', '''')::HUGEINT
