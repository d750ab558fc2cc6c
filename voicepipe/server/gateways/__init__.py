"""Many processes, one server: a parent that accepts connections, and gateways that hold the calls.

`supervisor.py` is the parent: it binds the ports, starts the gateways, hands each new connection to
the one with the fewest, and puts another in a dead one's place. `gateway.py` is the other end, in
each gateway. What they know together lies in `shared/`; what lands on the wrong gateway goes on to
the right one by `forwarding.py`.
"""
