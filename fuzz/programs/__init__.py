"""Random programs, run in every way that must not make a difference.

`python -m fuzz.programs --count 1000 --seed 7` generates programs, runs each
eagerly, traced, without graph passes, without lowered control flow and with
gradients, and compares values, variables, prints and classes of errors.
fuzz/README.md tells more.
"""
