"""What people read: tables on the terminal, Markdown, CSV, charts. Never runs anything."""
