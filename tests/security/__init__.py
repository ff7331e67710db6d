"""What a hostile file, model or reader could try."""
