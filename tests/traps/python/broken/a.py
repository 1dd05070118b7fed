def before():
    return helper()  #-> a.py:helper


def broken():
    x = = 1


def helper():
    return 1


def after():
    return helper()  #-> a.py:helper
