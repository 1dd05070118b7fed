import json
from . import json as own
from .json import loads


def use():
    json.loads("1")  #-> external
    own.loads("1")  #-> app/json.py:loads
    loads("1")  #-> app/json.py:loads
