"""What changed from one system to another: corrections and new errors, by label."""
