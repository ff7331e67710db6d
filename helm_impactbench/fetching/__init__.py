"""Bring the data of HELM's suites to a machine, say where they lie, and prove later that they are the same."""
