"""The static site: pages, plots and data made from the store of entries."""
