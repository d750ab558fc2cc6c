"""Many processes, one server: a parent that accepts connections, and gateways that hold the calls.

`supervisor.py` is the parent: it starts the gateways and puts another in a dead one's place;
`reception.py` accepts connections and hands each to the gateway with the fewest. `attendance.py` is
the other end, in each gateway. What they know together lies in `shared/`; what lands on the wrong
gateway goes on to the right one by `forwarding.py`.
"""
