"""The items in their sentences, with all answers."""
