"""The conformance suite: pages that tell whether an adapter keeps its promises, and the checks."""
