"""One object per language decides for every stage what its words and marks mean. Pure.

Tables lie in `tables/`, one file per language; what is done with them in the modules here.
"""
