package tests_test

import (
	"testing"

	"example.com/tests"
)

func Make() int { return 2 }

func TestIt(t *testing.T) {
	Make()       //-> a_test.go:Make
	tests.Make() //-> a.go:Make
	t.Run("x", func(t *testing.T) { //-> external
		Make() //-> a_test.go:Make
	})
}
