"""Stratified private means."""
