"""The comparison chapter of Márquez Mínguez (2022) from a run, beside the printed figures."""
