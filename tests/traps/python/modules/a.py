import logging
from settings import LOG, make

log = logging.getLogger(__name__)  #-> external


class Logger:
    def info(self, x):
        return x

    def warning(self, x):
        return x


def use():
    log.warning("x")  #-> external
    LOG.write("x")  #-> settings.py:Log.write
    made = make()  #-> settings.py:make
    made.write("x")  #-> settings.py:Log.write
