"""The adversary's ear: speaker encoders and the back-ends that compare their embeddings."""
