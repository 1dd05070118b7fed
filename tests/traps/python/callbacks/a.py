import threading
from b import job, log


def use(xs):
    map(lambda x: job(x), xs)  #-> external, b.py:job
    threading.Thread(target=lambda: log("x")).start()  #-> external, b.py:log, external
    return sorted(xs, key=lambda x: job(x))  #-> external, b.py:job


HANDLERS = {
    "one": lambda x: job(x),  #-> b.py:job
    "two": [lambda: log("y")],  #-> b.py:log
}

found = [job(x) for x in range(3) if log(x)]  #-> b.py:job, external, b.py:log
