package cart

func Total(x int) int {
	return x
}

func helper() {}

func Println(x string) {}
