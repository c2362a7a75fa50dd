        WHEN (SELECT failing FROM ${check}) IS DISTINCT FROM 0
            THEN system.main.error(system.main.format('kanon audit: {} classes break {}: {}; nothing was released',
                              (SELECT failing FROM ${check}), ${guarantee}, (SELECT worst FROM ${check})))
