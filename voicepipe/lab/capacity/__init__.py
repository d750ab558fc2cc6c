"""How many gateways and engines so many calls need: simulated, checked, found."""
