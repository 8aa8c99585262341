"""Extractors that are programs: ``bench.toml``, their versions, their adapters."""
