import json
import requests
from app._vendor import yaml


def use():
    json.dumps(1)  #-> external
    requests.get("x")  #-> external
    yaml.load("x")  #-> app/_vendor/yaml.py:load
    requests.dumps(1)  #-> external
