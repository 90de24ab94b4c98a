"""The minds: Ollama, the embedded model and scripted ones, behind the `Responder` port."""
