def loads(x):
    return x
