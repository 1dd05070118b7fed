from b import helper, Thing


def parameter(helper):
    return helper()  #-> ?


def local():
    helper = lambda: 1
    return helper()  #-> ?


def looped(things):
    for helper in things:
        helper()  #-> ?
    return [Thing() for Thing in things]  #-> ?


def plain():
    return helper()  #-> b.py:helper


class Own:
    def helper(self):
        return helper()  #-> b.py:helper


def len(x):
    return x


def use():
    return len([])  #-> a.py:len
