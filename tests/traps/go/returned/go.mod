module example.com/returned

go 1.21
