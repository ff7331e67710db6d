"""The pictures of README.md and docs/, made from suites of scripted models and compared with the committed ones."""
