"""Spark: row types to the driver, pieces back to the executors; a release is files that were audited as they were written."""
