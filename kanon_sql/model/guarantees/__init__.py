"""The guarantees: what each means, how it is written, and its exact threshold; a file for each."""
