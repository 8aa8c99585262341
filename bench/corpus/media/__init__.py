"""Media components: a file for each type of content, found by what it declares (``base.Media``).

They run in workers, like extractors: what is here imports the interface and its own library alone.
"""
