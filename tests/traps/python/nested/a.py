def outer():
    def helper():
        return 1

    def recursive(n):
        return recursive(n - 1) + helper()  #-> a.py:outer.recursive, a.py:outer.helper

    return recursive(3)  #-> a.py:outer.recursive


def other():
    return helper()  #-> a.py:helper


def helper():
    return 2


class Maker:
    def run(self):
        def helper():
            return self.step()  #-> a.py:Maker.step
        return helper()  #-> a.py:Maker.run.helper

    def step(self):
        return helper()  #-> a.py:helper
