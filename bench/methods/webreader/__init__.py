"""Site rules in XML, after the webreader of Martínez Santiago, Ureña López and García Vega (2001).

"WWW como fuente de recursos lingüísticos para su uso en PLN", Procesamiento del Lenguaje Natural
27. A specification says for each site which tags of its pages open which section of a normalised
document; it is read by ``specification``, applied by ``reading`` and printed by ``output``.

The paper shows the language by an example (figure 1), two rules with what they do (table 1) and
three documents (figures 2 to 4); it prints no DTD. Where it leaves something open, the module that
decides it says so under "Decided here".
"""
