"""Ensembles: extractors whose input is the texts of other extractors."""
