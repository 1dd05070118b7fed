"""How a text becomes tokens: identifiers are split, then WordPiece over the model's own table. The Rust side does the same."""

import re

# A word is an abbreviation in the plural, a run of capitals, a run of lower-case letters with or without a capital before
# it, or a run of digits. Everything else separates: the model knows English and the code that is written in it.
WORD = re.compile(r"[A-Z]{2,}s(?![A-Za-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
LONGEST = 40


def words(text):
    """The words of a text, in lower case."""
    return [word.lower() for word in WORD.findall(text)]


class Pieces:
    """WordPiece, longest piece first, over a table of tokens."""

    def __init__(self, tokens):
        self.table = {token: at for at, token in enumerate(tokens)}
        self.known = {}

    def of_word(self, word):
        """The numbers of a word's pieces; none where a part of it is in no piece."""
        found = self.known.get(word)
        if found is None:
            found = self.known[word] = self._split(word)
        return found

    def _split(self, word):
        if len(word) > LONGEST:
            return ()
        pieces, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = self.table.get(word[start:end] if start == 0 else "##" + word[start:end])
                if piece is not None:
                    pieces.append(piece)
                    start = end
                    break
            else:
                return ()
        return tuple(pieces)

    def of_text(self, text, limit):
        """The numbers of the first `limit` tokens of a text."""
        out = []
        for word in words(text):
            out.extend(self.of_word(word))
            if len(out) >= limit:
                return out[:limit]
        return out
