class Base:
    def run(self):
        return self.step()  #-> base.py:Base.step

    def step(self):
        return 1

    def shared(self):
        return 2


class Mixin:
    def extra(self):
        return self.shared()  #-> ?

    def step(self):
        return 3
