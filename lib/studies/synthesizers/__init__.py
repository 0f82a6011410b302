"""Stratified synthesizers."""
