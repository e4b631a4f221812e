"""./sandbox: an instance to try things on, with sample data and a sample merchant."""
