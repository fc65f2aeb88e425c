"""Any column by any other: counts and scores, and the slices where a system is weak."""
