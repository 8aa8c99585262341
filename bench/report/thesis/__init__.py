"""The thesis's chapter from a run: package by package, question by question, beside what was printed."""
