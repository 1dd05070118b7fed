class File:
    def close(self):
        return 1

    def flush_pages(self):
        return 2


class Door:
    def close(self):
        return 3


def use(thing, *things, **named):
    thing.close()  #-> ?
    thing.flush_pages()  #-> ?
    things[0].close()  #-> ?
    named["x"].close()  #-> ?


def also(get):
    get().close()  #-> ?, ?
    for one in get():  #-> ?
        one.close()  #-> ?
