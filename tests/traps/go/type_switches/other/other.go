package other

type Disc struct{}

func (d *Disc) Area() int { return 5 }
