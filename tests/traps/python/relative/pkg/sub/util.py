def low():
    return 2
