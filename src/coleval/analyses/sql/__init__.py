"""Any SQL query over the items."""
