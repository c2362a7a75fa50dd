"""What the labels of each recoding are: one rule, by which a release is made and verified."""
