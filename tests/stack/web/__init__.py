"""Private web servers before the workers: nginx, Apache, and the proxy in front of them."""
