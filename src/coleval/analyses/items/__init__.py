"""Which items separate systems: those that put systems in an order, and systems that surprise."""
