module example.com/unknown

go 1.21

require github.com/outside/log v1.0.0
