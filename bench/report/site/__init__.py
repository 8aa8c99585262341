"""The static site of stored runs: one file per kind of page, templates and static files beside."""
