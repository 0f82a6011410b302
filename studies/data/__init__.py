"""The papers' tables: cleaning of raw files, New York, the command, and what their pages show."""
