"""The ears: speech detection, recognisers and endpointing, behind the `Listener` port."""
