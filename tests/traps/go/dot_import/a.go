package dot

import . "example.com/dot/tools"
import _ "example.com/dot/silent"

func use() {
	Helper()  //-> tools/tools.go:Helper
	another() //-> a.go:another
}

func another() {}
