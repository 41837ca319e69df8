"""Scenarios looked into and changed, and the tables that they choose from."""
