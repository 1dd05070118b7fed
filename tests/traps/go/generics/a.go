package generics

type Item struct{}

func (i Item) Run() {}

type List[T any] struct {
	rows []T
}

func (l *List[T]) First() T { return l.rows[0] }

func Map[T, U any](xs []T, f func(T) U) []U { return nil }

func use(l *List[Item], xs []Item, by map[string]*Item) {
	l.First().Run() //-> a.go:List.First, a.go:Item.Run
	xs[0].Run()     //-> a.go:Item.Run
	by["x"].Run()   //-> a.go:Item.Run
	Map(xs, func(i Item) int { i.Run(); return 1 }) //-> a.go:Map, a.go:Item.Run
	Map[Item, int](xs, nil)                         //-> a.go:Map
}
