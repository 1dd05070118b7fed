package interfaces

type Shape interface {
	Area() int
}

type Named interface {
	Shape
	Name() string
}

type Square struct{}

func (s Square) Area() int { return 4 }

type Disc struct{}

func (d Disc) Area() int    { return 3 }
func (d Disc) Name() string { return "d" }

func use(s Shape, n Named) {
	s.Area() //-> a.go:Shape.Area possible a.go:Square.Area a.go:Disc.Area
	n.Area() //-> a.go:Shape.Area possible a.go:Disc.Area
	n.Name() //-> a.go:Named.Name possible a.go:Disc.Name
	if q, ok := s.(Square); ok {
		q.Area() //-> a.go:Square.Area
	}
	switch t := s.(type) {
	case Disc:
		t.Name() //-> a.go:Disc.Name
	case Named:
		t.Name() //-> a.go:Named.Name possible a.go:Disc.Name
	}
}
