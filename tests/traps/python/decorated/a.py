import functools


def logged(function):
    @functools.wraps(function)  #-> external
    def inner(*args):
        return function(*args)  #-> ?
    return inner


def named(name):
    return lambda function: function


@logged
def helper(x):
    return x


@named("other")  #-> a.py:named
def other(x):
    return helper(x)  #-> a.py:helper


class Box:
    @staticmethod
    @logged
    def make():
        return Box()  #-> a.py:Box

    @classmethod
    def build(cls):
        return cls.make()  #-> a.py:Box.make

    @logged
    def open(self):
        return other(1)  #-> a.py:other


def use():
    Box.make()  #-> a.py:Box.make
    Box.build()  #-> a.py:Box.build
