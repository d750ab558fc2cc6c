"""Clients that mean harm, each at one limit of the server: what do the others notice?"""
