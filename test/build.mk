# Tests: see test/README.md.
