import { openClient } from "./b.js";

export function use() {
  openClient().send("x").text(); //-> b.js:openClient, b.js:Client.send, b.js:Reply.text
  const client = openClient(); //-> b.js:openClient
  client.send("x"); //-> b.js:Client.send
}
