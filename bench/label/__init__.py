"""Gold by clicking: pages shown inert, stand-off labels, and the text that follows from them."""
