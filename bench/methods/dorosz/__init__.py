"""Coherent texts of a page: two methods of Dorosz (2008).

Dorosz, Krzysztof (2008): "Ekstrakcja spójnych tekstów z Internetu na potrzeby algorytmów
lingwistycznych" (Extraction of coherent texts from the Internet for linguistic algorithms).

``energy`` cuts a page by the energy of its nodes, ``links`` by the position of its links. Both
give a list of coherent texts through ``coherent(html)``, and both keep two promises: coherent
nodes never contain one another, and every text node below the body lies in exactly one.

The paper defines a coherent node twice. Its prose goes on from every child of a node that is none, its
formula from siblings of coherent nodes alone, which leaves out texts below nodes that have no coherent
sibling. The prose alone covers all texts, as the paper asks for, and is what is done here. What the
paper leaves open is decided here too; each module says what and why.
"""
