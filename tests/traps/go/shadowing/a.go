package shadowing

import "strings"

func helper() int { return 1 }

func parameter(helper func() int) int {
	return helper() //-> ?
}

func local() int {
	helper := func() int { return 2 }
	return helper() //-> ?
}

func block(flag bool) int {
	if flag {
		helper := func() int { return 3 }
		helper() //-> ?
	}
	return helper() //-> a.go:helper
}

type trimmer struct{}

func (t trimmer) ToUpper(x string) string { return x }

func imported(strings trimmer) {
	strings.ToUpper("x") //-> a.go:trimmer.ToUpper
}

func plain() {
	strings.ToUpper("x") //-> external
}

func len(x string) int { return 1 }

func builtin() {
	len("x")          //-> a.go:len
	_ = cap([]int{1}) //-> external
}
