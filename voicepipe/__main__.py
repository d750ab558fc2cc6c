"""`python -m voicepipe` is the `voicepipe` command."""

from voicepipe.cli.main import app

if __name__ == "__main__":
    app()
