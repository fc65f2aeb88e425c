"""All analyses that apply, with a sentence on each."""
