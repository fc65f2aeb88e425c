"""Whether answers stay, change or move where inputs say that they should."""
