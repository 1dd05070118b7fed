class Base:
    def __init__(self, x):
        self.x = x
        self.setup()  #-> a.py:Base.setup

    def setup(self):
        pass


class Plain:
    pass


class Child(Base):
    def __init__(self):
        super().__init__(1)  #-> external, a.py:Base.__init__

    def setup(self):
        super().setup()  #-> external, a.py:Base.setup


class Old(Base):
    def __init__(self):
        Base.__init__(self, 1)  #-> a.py:Base.__init__


class Silent(Base):
    def setup(self):
        return Plain()  #-> a.py:Plain


def use():
    Base(1)  #-> a.py:Base | a.py:Base.__init__
    Child()  #-> a.py:Child | a.py:Child.__init__
    Silent(1)  #-> a.py:Silent | a.py:Base.__init__
    Child().setup()  #-> a.py:Child | a.py:Child.__init__, a.py:Child.setup
    make = Plain
    make()  #-> a.py:Plain | ?
