class Reply {
  text() {}
}
class Client {
  send(x) {
    return new Reply(); //-> b.js:Reply
  }
}
export function openClient() {
  return new Client(); //-> b.js:Client
}
