"""Cleaning of each raw file, step by step."""
