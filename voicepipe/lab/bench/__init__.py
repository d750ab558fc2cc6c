"""Load clients, scenarios and reports."""
