"""A folder of released speech: its names, records, journal and seal."""
