"""The book itself: what chapters start with, and the build that executes and renders them."""
