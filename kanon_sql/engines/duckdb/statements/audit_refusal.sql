        WHEN (SELECT failing FROM ${check}) IS DISTINCT FROM 0
            THEN system.main.error(system.main.format('kanon audit: {} {} {}: {}; nothing was released',
                              (SELECT failing FROM ${check}),
                              CASE (SELECT failing FROM ${check}) WHEN 1 THEN 'class breaks' ELSE 'classes break' END,
                              ${guarantee}, (SELECT worst FROM ${check})))
