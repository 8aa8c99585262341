"""What runs inside a worker process: standard library only, Python 3.7 or later."""
