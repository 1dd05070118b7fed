module example.com/functionvalues

go 1.21
