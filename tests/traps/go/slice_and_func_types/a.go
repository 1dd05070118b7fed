package shop

import "sort"

type Names []string

func (n Names) Len() int { return len(n) } //-> external

func (n Names) First() string { return n[0] }

type Step func(int) error

func (s Step) Run(n int) error { return s(n) } //-> ?

type Chain []Step

func (c Chain) Then(s Step) Chain { return append(c, s) } //-> external

func (c Chain) Run() {
	for _, step := range c {
		step.Run(1) //-> a.go:Step.Run
	}
}

type Level uint32

func (l Level) Text() string { return "" }

type Box struct {
	names Names
	chain Chain
	Level
}

func use(box Box, names Names, level Level) {
	names.First()                       //-> a.go:Names.First
	box.names.First()                   //-> a.go:Names.First
	box.chain.Then(nil).Then(nil).Run() //-> a.go:Chain.Then, a.go:Chain.Then, a.go:Chain.Run
	level.Text()                        //-> a.go:Level.Text
	box.Text()                          //-> a.go:Level.Text
	Level(3).Text()                     //-> a.go:Level, a.go:Level.Text
	sort.Strings(names)                 //-> external
	for _, name := range names {
		Names{name}.First() //-> a.go:Names.First
	}
}
