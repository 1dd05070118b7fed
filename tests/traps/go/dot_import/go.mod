module example.com/dot

go 1.21
