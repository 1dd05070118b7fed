package conversions

type Name string

func (n Name) Upper() string { return string(n) } //-> external

type Handler func(int)

func (h Handler) Serve(x int) { h(x) } //-> ?

func job(x int) {}

func use() {
	Name("x").Upper()     //-> a.go:Name, a.go:Name.Upper
	Handler(job).Serve(1) //-> a.go:Handler, a.go:Handler.Serve
	n := Name("y")        //-> a.go:Name
	n.Upper()             //-> a.go:Name.Upper
}
