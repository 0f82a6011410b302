"""The embedded replicas: how close they are to the real data."""
