def load(x):
    return dumps(x)  #-> app/_vendor/yaml.py:dumps


def dumps(x):
    return x


def get(x):
    return x
