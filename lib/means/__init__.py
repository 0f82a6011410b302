"""Private means: of a population, of its strata, and recombined."""
