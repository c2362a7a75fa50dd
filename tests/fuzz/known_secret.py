"""The secret of every release of the fuzz: with the same one, permuted rows must give the same release."""

SECRET = b"the secret of the fuzz: 32 bytes"
