"""HELM's safety suites with panels of judges that can be chosen and do not end a run."""
