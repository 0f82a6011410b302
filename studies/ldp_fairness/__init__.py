"""Local differential privacy and fairness."""
