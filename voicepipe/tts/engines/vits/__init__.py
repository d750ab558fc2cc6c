"""Voices of the VITS architecture, as Piper's are, cut so that they can speak in windows."""
