"""Mutation testing of a room: which small wrong changes do its tests notice?"""
