"""Items that are worth a look, in their sentences, with who says what."""
