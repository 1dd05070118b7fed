class A:
    def run(self):
        return 1


class B:
    def run(self):
        return 2


def use(flag):
    x = A()  #-> a.py:A
    x.run()  #-> a.py:A.run
    x = B()  #-> a.py:B
    x.run()  #-> a.py:B.run


def either(flag):
    if flag:
        x = A()  #-> a.py:A
    else:
        x = B()  #-> a.py:B
    x.run()  #-> a.py:A.run | a.py:B.run


def narrowed(x: A):
    if isinstance(x, B):  #-> external
        x.run()  #-> ? | a.py:A.run | a.py:B.run
    x.run()  #-> a.py:A.run


def union(x: "A | B"):
    x.run()  #-> a.py:A.run | a.py:B.run
