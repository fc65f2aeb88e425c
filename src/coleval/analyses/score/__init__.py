"""The leaderboard: accuracy, precision, recall, F1, also by label."""
