"""What a combination could reach: upper bounds, votes, contributions."""
