"""Bringing a data set to this machine: download, check, unpack, put in place."""
