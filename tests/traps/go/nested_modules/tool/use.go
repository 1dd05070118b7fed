package tool

import "example.com/tool/util"

func use() {
	util.Helper() //-> tool/util/util.go:Helper
}
