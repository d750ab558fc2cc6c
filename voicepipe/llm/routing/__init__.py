"""Language models made of language models: breaker, hedge, cascade. Each is a `LanguageModel`."""
