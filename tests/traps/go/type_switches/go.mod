module example.com/type_switches

go 1.22
