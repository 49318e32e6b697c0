"""What trains: averages of variables, threads that stop together, clusters."""
