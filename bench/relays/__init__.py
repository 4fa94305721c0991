"""What `proxying` measures with: a model server that answers at once, clients, and relays."""
