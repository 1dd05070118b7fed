import typing
from typing import TypeVar

U = TypeVar("U", bound="Client")  #-> external


class Client:
    def __enter__(self: U) -> U:
        return self

    async def __aenter__(self) -> "typing.Self":
        return self

    def named(self) -> typing.Self:
        return self

    def send(self):
        pass


class Special(Client):
    def extra(self):
        pass
