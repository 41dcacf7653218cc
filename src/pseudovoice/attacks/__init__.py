"""Who attacks, with what knowledge, through which encoder; and what each of them achieves."""
