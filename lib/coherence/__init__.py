"""Demographic coherence: does a release reveal more about people in it than about others?"""
