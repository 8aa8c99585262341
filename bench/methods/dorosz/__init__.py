"""Coherent texts of a page: two methods of Dorosz (2008).

Dorosz, Krzysztof (2008): "Ekstrakcja spójnych tekstów z Internetu na potrzeby algorytmów
lingwistycznych" (Extraction of coherent texts from the Internet for linguistic algorithms).

``energy`` cuts a page by the energy of its nodes, ``links`` by the position of its links. Both
give a list of coherent texts through ``coherent(html)``, and both keep two promises: coherent
nodes never contain one another, and every text node below the body lies in exactly one.

The paper itself was not at hand when this was written, only an account of its definitions. What
the account leaves open is decided here; each module says what and why.
"""
