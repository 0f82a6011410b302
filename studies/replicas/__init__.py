"""The embedded replicas: their editions on record, and how close they are to the real data."""
