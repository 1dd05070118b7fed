package outer

import "example.com/outer/util"

func use() {
	util.Helper() //-> util/util.go:Helper
}
