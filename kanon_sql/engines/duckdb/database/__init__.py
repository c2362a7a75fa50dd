"""The release of a whole database: several tables of the same people, all of them or none."""
