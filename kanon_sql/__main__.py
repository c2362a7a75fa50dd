"""``python -m kanon_sql``: the command ``kanon``."""

from kanon_sql.cli.commands import main

if __name__ == "__main__":
    main()
