"""From ranked hits to an answer that can be checked: quoted or written, each sentence cited, or an abstention."""
