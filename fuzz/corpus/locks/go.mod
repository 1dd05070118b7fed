module example.com/own

go 1.22

require (
	github.com/a/b v1.0.0
	github.com/C/d v0.0.0-20200101 // indirect
)

replace github.com/a/b => ../b
