"""The confusion matrix: which labels are confused."""
