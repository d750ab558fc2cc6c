"""What preparing replies early gains and costs, on recordings with marked pauses."""
