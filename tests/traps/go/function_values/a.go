package functionvalues

type Server struct {
	onClose func()
	next    *Server
}

func onClose() {}

func (s *Server) close() {
	s.onClose() //-> ? | a.go:Server.onClose
	onClose()   //-> a.go:onClose
}

func use(s *Server) {
	s.next.close() //-> a.go:Server.close
	close := s.close
	close() //-> ?
	f := onClose
	f() //-> ?
}
