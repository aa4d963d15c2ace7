"""A client of the DeFi risk data service."""
