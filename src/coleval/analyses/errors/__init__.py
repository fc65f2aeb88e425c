"""Fair span errors: each error counted once, by kind."""
