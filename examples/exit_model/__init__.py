"""The exit Monte Carlo of docs/analytics.md in plain Python, for `recompute-exit.py`. It shares no code with the service."""
