"""Site rules in XML, after the webreader of Martínez Santiago, Ureña López and García Vega (2001).

"WWW como fuente de recursos lingüísticos para su uso en PLN", Procesamiento del Lenguaje Natural
27. A specification says for each site which tags of its pages open which section of a normalised
document; it is read by ``specification``, applied by ``reading`` and printed by ``output``.

The paper's text was not at hand when this was written, only an account of its language: the levels
``webreader > site > link > URL``, ``format`` with ``translate``, ``append`` and ``ignore``, the
macros, ``process_links``, ``process_content`` and ``target``. Where that account leaves something
open, the module that decides it says so under "Decided here".
"""
