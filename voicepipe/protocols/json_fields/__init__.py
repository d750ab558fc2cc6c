"""Reading JSON messages of clients: fields, types, limits, errors that name them."""
