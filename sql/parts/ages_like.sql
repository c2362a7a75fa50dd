-- ages_like(): whether texts, each in n rows, look like ages: many values, none of them half of the rows, and few of them high.

, coalesce(system.main.sum(n) FILTER (TRY_CAST(text AS INTEGER) BETWEEN 0 AND 130), 0) >= system.main.multiply(0.98, system.main.sum(n))
    AND coalesce(system.main.sum(n) FILTER (TRY_CAST(text AS INTEGER) >= 90), 0) <= system.main.multiply(0.05, system.main.sum(n))
    AND system.main.subtract(system.main.log2(system.main.sum(n)), system.main."/"(
        system.main.sum(system.main.multiply(n, system.main.log2(n))), system.main.sum(n))) >= 4.5 AS ages_like
