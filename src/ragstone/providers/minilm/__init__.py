"""The built-in embedding model: its network, its tokenizer, its ONNX graph."""
