package embedding

type Base struct{}

func (b *Base) Run()  {}
func (b *Base) Step() {}

type Child struct {
	*Base
	name string
}

func (c *Child) Step() {
	c.Run()       //-> a.go:Base.Run
	c.Base.Step() //-> a.go:Base.Step
}

type Deep struct {
	Child
}

func use(d Deep) {
	d.Run()  //-> a.go:Base.Run
	d.Step() //-> a.go:Child.Step
}
