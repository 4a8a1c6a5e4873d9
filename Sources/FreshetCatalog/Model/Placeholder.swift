// Placeholder until the content model lands.
