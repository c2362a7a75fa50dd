"""What classes have to meet, one criterion a file: the test, the shortfall, and whether a class that grows may meet it."""
