"""Speech recognisers: samples in, words out."""
