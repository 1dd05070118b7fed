package main

func helper() {}

func Total(x int) int {
	return x
}
