"""Who gets a model of their own: one for each group that is large enough, one for all others."""
