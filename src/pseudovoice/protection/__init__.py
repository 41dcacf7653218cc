"""A corpus becomes its protected twin: names, records, and the work itself."""
