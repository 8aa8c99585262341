"""Which extractors there are, and what each needs to run."""
