"""Servers: graders behind an address that speaks as OpenAI's does, asked at once or by batches."""
