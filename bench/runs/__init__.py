"""Running extractors: a plan of cells, a watched worker process for each row, a sampler beside it."""
