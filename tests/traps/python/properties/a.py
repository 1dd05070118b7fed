class Engine:
    def start(self):
        return 1


class Car:
    def __init__(self):
        self._engine = Engine()  #-> a.py:Engine

    @property
    def engine(self) -> Engine:
        return self._engine

    @property
    def action(self):
        return lambda: 1

    def go(self):
        self.engine.start()  #-> a.py:Engine.start
        self._engine.start()  #-> a.py:Engine.start
        return self.action()  #-> a.py:Car.action


def use(car: Car):
    car.engine.start()  #-> a.py:Engine.start
