struct Reply {
  int text() { return 1; }
};
struct Session {
  Reply send(int x) { return Reply(); } //-> a.cpp:Reply
};
struct Client {
  Session &session() { return current; }
  Session current;
};
Client open_client() { return Client(); } //-> a.cpp:Client
int use(Client &client) {
  auto session = client.session(); //-> a.cpp:Client.session
  session.send(1); //-> a.cpp:Session.send
  auto made = open_client(); //-> a.cpp:open_client
  made.current.send(2); //-> a.cpp:Session.send
  return client.session().send(3).text(); //-> a.cpp:Client.session, a.cpp:Session.send, a.cpp:Reply.text
}
