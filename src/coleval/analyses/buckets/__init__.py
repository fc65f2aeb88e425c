"""Where systems fail: scores by attributes of the items."""
