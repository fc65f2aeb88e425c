"""From files to items: sources, a reader a format, alignment, a task object each."""
