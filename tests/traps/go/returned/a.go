package returned

type Reply struct{}

func (r *Reply) Text() string { return "" }

type Session struct{}

func (s *Session) Send(x string) *Reply { return &Reply{} }

type Client struct {
	session Session
	current *Session
}

func (c *Client) Session() *Session { return c.current }

func Open() (*Client, error) { return nil, nil }

func Must(c *Client, err error) *Client { return c }

var shared = Must(Open()) //-> a.go:Must, a.go:Open

func use() {
	c, _ := Open()             //-> a.go:Open
	c.Session().Send("").Text() //-> a.go:Client.Session, a.go:Session.Send, a.go:Reply.Text
	c.session.Send("")          //-> a.go:Session.Send
	Must(Open()).Session()      //-> a.go:Must, a.go:Open, a.go:Client.Session
	shared.Session()            //-> a.go:Client.Session
	if s := c.Session(); s != nil { //-> a.go:Client.Session
		s.Send("") //-> a.go:Session.Send
	}
}
