"""The exit Monte Carlo of docs/analytics.md in plain Python, for `recompute-exit.py`. Nothing here comes from the service's code."""
