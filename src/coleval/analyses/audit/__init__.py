"""Where gold deserves another look: what systems agree on against it."""
