from lib import Pool, connected, opened


def one():
    with opened() as client:  #-> lib.py:opened
        client.send()  #-> lib.py:Client.send


async def two():
    async with connected() as client:  #-> lib.py:connected
        client.send()  #-> lib.py:Client.send


def three():
    with Pool() as pool, opened() as other:  #-> lib.py:Pool, lib.py:opened
        pool.client().send()  #-> lib.py:Pool.client, lib.py:Client.send
        other.send()  #-> lib.py:Client.send


def four(path):
    with open(path) as file:  #-> external
        file.send()  #-> external
