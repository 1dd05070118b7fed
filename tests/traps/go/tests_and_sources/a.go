package tests

func Make() int { return 1 }
