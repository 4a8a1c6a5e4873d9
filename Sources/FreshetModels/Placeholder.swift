// Placeholder until the models land.
