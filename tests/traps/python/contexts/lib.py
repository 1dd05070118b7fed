from contextlib import asynccontextmanager, contextmanager
from typing import AsyncIterator, Iterator


class Client:
    def send(self): ...


class Pool:
    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *rest): ...

    def client(self) -> Client:
        return Client()  #-> lib.py:Client


@contextmanager
def opened() -> Iterator[Client]:
    yield Client()  #-> lib.py:Client


@asynccontextmanager
async def connected() -> AsyncIterator[Client]:
    yield Client()  #-> lib.py:Client
