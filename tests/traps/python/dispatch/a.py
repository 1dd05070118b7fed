from abc import ABC, abstractmethod
from typing import Protocol


class Shape(ABC):
    @abstractmethod
    def area(self): ...

    def show(self):
        return self.area()  #-> a.py:Shape.area possible a.py:Square.area a.py:Disc.area


class Square(Shape):
    def area(self):
        return 4


class Disc(Shape):
    def area(self):
        return 3


class Speaks(Protocol):
    def speak(self): ...


class Dog:
    def speak(self):
        return "w"


def use(shape: Shape, speaker: Speaks):
    shape.area()  #-> a.py:Shape.area possible a.py:Square.area a.py:Disc.area
    speaker.speak()  #-> a.py:Speaks.speak possible a.py:Dog.speak
