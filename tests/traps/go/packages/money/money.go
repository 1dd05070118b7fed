package money

func Round(x int) int {
	return x
}
