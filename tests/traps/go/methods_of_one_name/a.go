package methods

type File struct{}

func (f *File) Close() error { return nil }
func (f *File) Flush() error { return nil }

type Door struct{}

func (d *Door) Close() error { return nil }

type Both struct {
	file *File
	door Door
}

func open() (*File, error) {
	return &File{}, nil
}

func use(b *Both, thing interface{ Close() error }) {
	b.file.Close() //-> a.go:File.Close
	b.door.Close() //-> a.go:Door.Close
	thing.Close()  //-> ?
	f, err := open() //-> a.go:open
	f.Close()        //-> a.go:File.Close
	err.Error()      //-> external
	var d Door
	d.Close() //-> a.go:Door.Close
	e := new(Door) //-> external
	e.Close()      //-> a.go:Door.Close
	for _, one := range []*File{} {
		one.Flush() //-> a.go:File.Flush
	}
}
