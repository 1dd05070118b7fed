from typing import Generic, Optional, TypeVar

T = TypeVar("T")  #-> external


class Item:
    def run(self):
        return 1


class Holder(Generic[T]):
    def __init__(self, x: T):
        self.x = x

    def get(self) -> T:
        return self.x

    def run(self):
        return self.get()  #-> a.py:Holder.get


def first(xs: list[Item]) -> Item:
    return xs[0]


def use(x: Optional[Item], xs: list[Item], by: dict[str, Item], holder: Holder[Item]):
    x.run()  #-> a.py:Item.run
    first(xs).run()  #-> a.py:first, a.py:Item.run
    for one in xs:
        one.run()  #-> a.py:Item.run
    by["x"].run()  #-> a.py:Item.run
    holder.run()  #-> a.py:Holder.run
    holder.get().run()  #-> a.py:Holder.get, a.py:Item.run
    xs.run()  #-> ?
