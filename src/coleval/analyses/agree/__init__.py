"""Agreement of systems and gold: kappa, alpha."""
