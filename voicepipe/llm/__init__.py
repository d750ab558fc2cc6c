"""Language models: contract, prompt layout, engines."""
