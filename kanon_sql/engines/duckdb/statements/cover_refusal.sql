        WHEN (SELECT wrong FROM ${check}) IS DISTINCT FROM 0
            THEN system.main.error('kanon audit: labels of the column ' || ${column} || ' do not cover what they stand for; nothing was released')
