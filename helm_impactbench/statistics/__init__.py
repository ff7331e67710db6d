"""Statistics on plain numbers: nothing here knows of models, benchmarks or HELM. Every source stands at its formula."""
