"""HELM's entry point. Every helm-run imports this module, so all that it does is to make names known.

Run specs and scripted models are registered by HELM's own decorators and do their work when they are asked for. Only a
helm-run that has an entry of ours is set up here, and the entry checked, before HELM reads it.
"""

from __future__ import annotations
