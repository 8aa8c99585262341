"""Methods from the literature that no library offers: worked out here, used by adapters.

One package for each method, named by ``Extractor.method``. An adapter imports it in ``load``, like
any library, so that it may import what the adapter ``requires``. It runs inside the worker, under
Python 3.7 and later, and knows nothing else of bench.
"""
