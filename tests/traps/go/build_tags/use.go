package tags

func use() string {
	return sep() //-> sep_linux.go:sep | sep_windows.go:sep
}
