package type_switches

import "example.com/type_switches/other"

type Shape interface{ Area() int }

type Square struct{}

func (s *Square) Area() int { return 4 }
func (s *Square) Side() int { return 2 }

type Disc struct{}

func (d Disc) Area() int { return 3 }
func (d Disc) Side() int { return 1 }

func build() Disc { return Disc{} }

func use(x any, s Shape) {
	switch t := x.(type) {
	case *Square:
		t.Area() //-> a.go:Square.Area
		if t.Side() > 1 { //-> a.go:Square.Side
			t.Side() //-> a.go:Square.Side
		}
		func() { t.Side() }() //-> a.go:Square.Side
	case Disc:
		t.Area() //-> a.go:Disc.Area
	case *other.Disc:
		t.Area() //-> other/other.go:Disc.Area
	case []Disc:
		t[0].Side() //-> a.go:Disc.Side
	case func() Disc:
		t().Side() //-> ?, a.go:Disc.Side
	case error:
		t.Error() //-> external
	case Shape:
		t.Area() //-> a.go:Shape.Area possible a.go:Square.Area a.go:Disc.Area other/other.go:Disc.Area
		switch t := t.(type) {
		case *Square:
			t.Side() //-> a.go:Square.Side
		default:
			t.Area() //-> a.go:Shape.Area possible a.go:Square.Area a.go:Disc.Area other/other.go:Disc.Area
		}
	}
	switch t := s.(type) {
	case *Square, Disc:
		t.Area() //-> a.go:Shape.Area possible a.go:Square.Area a.go:Disc.Area other/other.go:Disc.Area
	case nil:
		t := build() //-> a.go:build
		t.Side()     //-> a.go:Disc.Side
	case *other.Disc:
		s.Area() //-> a.go:Shape.Area possible a.go:Square.Area a.go:Disc.Area other/other.go:Disc.Area
	}
	switch {
	case x == nil:
		s := build() //-> a.go:build
		s.Side()     //-> a.go:Disc.Side
	default:
		s.Area() //-> a.go:Shape.Area possible a.go:Square.Area a.go:Disc.Area other/other.go:Disc.Area
	}
}

func wait(discs chan Disc, s Shape) {
	select {
	case s := <-discs:
		s.Side() //-> a.go:Disc.Side
	default:
		s.Area() //-> a.go:Shape.Area possible a.go:Square.Area a.go:Disc.Area other/other.go:Disc.Area
	}
}
