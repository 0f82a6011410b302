"""What a lecturer needs beside the book: sessions, slides, assignments, marking."""
