"""``python -m kanon_sql.cli``: the command ``kanon``."""

from kanon_sql.cli.commands import main

main()
