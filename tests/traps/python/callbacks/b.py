def job(x):
    return x


def log(x):
    return x
