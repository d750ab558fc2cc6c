"""Your own programs are told of calls: signed requests to addresses that the settings name."""
