"""Run a FlashInfer consumer against every shape that ``flashinfer.comm`` has had or may take."""
