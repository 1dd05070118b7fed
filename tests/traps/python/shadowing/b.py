def helper():
    return 1


class Thing:
    pass
