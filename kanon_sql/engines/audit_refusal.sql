        WHEN (SELECT failing FROM ${check}) IS DISTINCT FROM 0
            THEN error(format('kanon audit: {} classes break {}: {}; nothing was released',
                              (SELECT failing FROM ${check}), ${promise}, (SELECT worst FROM ${check})))
