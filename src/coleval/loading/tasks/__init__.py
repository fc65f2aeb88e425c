"""From what readers found to items, one module a task."""
