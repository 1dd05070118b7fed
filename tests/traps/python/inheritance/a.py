import base
from base import Base as Root, Mixin


class Child(Root):
    def step(self):
        return self.run()  #-> base.py:Base.run


class Both(Mixin, Child):
    def go(self):
        self.step()  #-> base.py:Mixin.step
        self.extra()  #-> base.py:Mixin.extra
        self.shared()  #-> base.py:Base.shared
        super().step()  #-> external, base.py:Mixin.step


class Far(base.Base):
    def go(self):
        self.run()  #-> base.py:Base.run
        self.missing()  #-> ?


class Open(dict):
    def go(self):
        self.update({})  #-> external
        self.own()  #-> a.py:Open.own

    def own(self):
        return self.keys()  #-> external


def use():
    Both().shared()  #-> a.py:Both, base.py:Base.shared
    Both().step()  #-> a.py:Both, base.py:Mixin.step
