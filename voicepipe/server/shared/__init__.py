"""What the gateways of one server know together, in a small database that lives as long as the
server does. A server of one process has the same in its memory.

`seats.py` who has a session, `directory.py` who holds which call, `metrics.py` what was counted.
Secrets (`../secret_store.py`) and tickets (`../telephony/tickets.py`) lie there too.
"""
