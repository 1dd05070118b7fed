package broken

func before() int {
	return helper() //-> a.go:helper
}

func middle() {
	x := (1 +
}

func helper() int { return 1 }

func after() int {
	return helper() //-> a.go:helper
}
