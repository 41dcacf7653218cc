"""Signal processing that several rooms share: frames, filter banks, linear prediction."""
