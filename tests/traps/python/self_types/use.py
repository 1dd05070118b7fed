from lib import Client, Special


def one():
    with Special() as client:  #-> lib.py:Special
        client.send()  #-> lib.py:Client.send
        client.extra()  #-> lib.py:Special.extra


async def two():
    async with Special() as client:  #-> lib.py:Special
        client.extra()  #-> lib.py:Special.extra


def three():
    Special().named().extra()  #-> lib.py:Special, lib.py:Client.named, lib.py:Special.extra


def four():
    for each in [Client(), Client()]:  #-> lib.py:Client, lib.py:Client
        each.send()  #-> lib.py:Client.send
    for mixed in [Client(), 1]:  #-> lib.py:Client
        mixed.send()  #-> ? possible lib.py:Client.send
