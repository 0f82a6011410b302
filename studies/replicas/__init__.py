"""The embedded replicas: how they are made, and how close they are to the real data."""
