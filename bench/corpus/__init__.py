"""A corpus from pages: texts in a file, words with their frequencies and phrases in a database.

After Cadavid Rengifo, Gómez Perdomo (2009), "Sistema de extracción de cuerpos de texto de la web para
tareas lingüísticas", Ingeniería e Investigación 29(3). docs/corpus.md says what is as in the paper.
"""
