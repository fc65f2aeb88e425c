"""Which items still measure: those that put systems in an order, and systems that surprise."""
