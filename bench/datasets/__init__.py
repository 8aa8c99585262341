"""Data sets: cards that say what they are, readers for each layout, fingerprints that pin them."""
