def rate():
    return 7
