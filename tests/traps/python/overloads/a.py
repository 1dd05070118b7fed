from typing import overload


@overload
def size(x: int) -> int: ...
@overload
def size(x: str) -> str: ...
def size(x):
    return x


class Reader:
    @overload
    def read(self, n: int) -> bytes: ...
    @overload
    def read(self, n: None) -> str: ...
    def read(self, n):
        return size(n)  #-> a.py:size


def use(reader: Reader):
    size(1)  #-> a.py:size
    reader.read(1)  #-> a.py:Reader.read
