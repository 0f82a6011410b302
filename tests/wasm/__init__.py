"""The tests of the numeric packages on another platform: Pyodide under Node."""
