"""Demographic coherence: does a predictor built from a release treat the people in it unlike
people left out?
"""
