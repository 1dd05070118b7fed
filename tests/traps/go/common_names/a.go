package common

import (
	"bytes"
	"os"
	"sync"
)

type Buffer struct{}

func (b *Buffer) Write(x []byte) {}
func (b *Buffer) Lock()          {}
func (b *Buffer) Close()         {}

func use(b *bytes.Buffer) {
	b.Write(nil) //-> external
	var mu sync.Mutex
	mu.Lock()              //-> external
	f, _ := os.Open("x")   //-> external
	f.Close()              //-> external
	own := Buffer{}
	own.Write(nil)         //-> a.go:Buffer.Write
	var buf bytes.Buffer
	buf.Write(nil) //-> external
}
