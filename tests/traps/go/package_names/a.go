package names

import "example.com/names/go-yaml"

func use() {
	yaml.Load() //-> go-yaml/yaml.go:Load
}
