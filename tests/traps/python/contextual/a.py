from collections.abc import Callable
from typing import Any


class Item:
    def go(self) -> None: ...


class Own:
    def go(self) -> None: ...

    def each(self, run: Callable[[int, Item], None]) -> None: ...


Run = Callable[[Item], None]


def given(run: Callable[[Own], None]) -> None: ...


def maybe(count: int, run: Run | None = None) -> None: ...


def untold(run: Callable[..., Any]) -> None: ...


given(lambda own: own.go())  #-> a.py:given, a.py:Own.go
maybe(1, lambda item: item.go())  #-> a.py:maybe, a.py:Item.go
Own().each(lambda count, item: item.go())  #-> a.py:Own, a.py:Own.each, a.py:Item.go
untold(lambda it: it.go())  #-> a.py:untold, ? possible a.py:Own.go a.py:Item.go
