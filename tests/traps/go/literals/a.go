package literals

import "sort"

func job(x int) int { return x }

var handlers = map[string]func(int) int{
	"one": func(x int) int { return job(x) }, //-> a.go:job
}

func use(xs []int) {
	sort.Slice(xs, func(a, b int) bool { return job(a) < job(b) }) //-> external, a.go:job, a.go:job
	go func() {
		job(1) //-> a.go:job
	}()
	defer job(2)       //-> a.go:job
	handlers["one"](1)
}
