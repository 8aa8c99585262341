"""``bench gold lint``: what in a data set would spoil figures, found by looking at every page."""
